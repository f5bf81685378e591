package gemini

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// noSignature is the value that the provider documents for a call whose
// signature isn't known: one that another model made, or that was forgotten.
const noSignature = `"skip_thought_signature_validator"`

// unchecked are the families, by how their names begin, that take a turn of
// calls without a signature. Every later one answers such a turn with 400.
var unchecked = []string{"gemini-1", "gemini-2", "gemma", "learnlm"}

// signatureChecked reports whether a model refuses a turn whose first call has
// no signature.
func signatureChecked(model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:]
	for _, u := range unchecked {
		if strings.HasPrefix(model, u) {
			return false
		}
	}
	return true
}

// signatureOf returns a call's thought signature, a JSON string; nil for none.
func signatureOf(c chat.Call) []byte {
	if s := c.Extra[signature]; isText(s) {
		return s
	}
	if s, ok := rawjson.Get(c.Extra[compatibility], "google", "thought_signature"); ok && isText(s) {
		return s
	}
	return nil
}

// withSignature is the Extra of a call that came with a signature.
func withSignature(quoted []byte) chat.Extra {
	if !isText(quoted) {
		return nil
	}
	quoted = append([]byte(nil), quoted...)
	compat := append([]byte(`{"google":{"thought_signature":`), quoted...)
	return chat.Extra{signature: quoted, compatibility: append(compat, "}}"...)}
}

func appendSignature(b, quoted []byte) []byte {
	if !isText(quoted) {
		return b
	}
	return append(append(b, `,"thoughtSignature":`...), quoted...)
}

// isText reports whether v is a JSON string that isn't empty.
func isText(v []byte) bool { return len(v) > 2 && rawjson.Kind(v) == '"' }
