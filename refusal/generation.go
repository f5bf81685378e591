package refusal

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// Extent says how much of what a model wrote a fault carries.
type Extent uint8

const (
	Whole     Extent = iota // the whole answer
	Rest                    // what stands behind a part that the server could read
	Arguments               // a call's arguments, without the tool's name
)

// Generation is what a model wrote, out of a fault that rejects it.
type Generation struct {
	Text   string
	Extent Extent
	Source string // where the row that matched was learned
}

// maxGeneration is how large an error's body may be that is looked into, in bytes.
const maxGeneration = 2 << 20

// Generated returns what the model wrote, where f carries it. A body that was
// cut tells nothing: what the model wrote would be cut too.
func Generated(f *chat.Fault) (Generation, bool) {
	if f == nil {
		return Generation{}, false
	}
	body := []byte(f.Text)
	if f.Wire != nil && len(f.Wire.Body) > 0 {
		body = f.Wire.Body
	}
	return generatedIn(bytes.TrimSpace(body), 3)
}

// generatedIn looks into an error: JSON, plain text, or text with JSON behind
// some words, as gateways pass on what others told them.
func generatedIn(b []byte, within int) (g Generation, ok bool) {
	if len(b) > maxGeneration {
		return g, false
	}
	switch k := rawjson.Kind(b); {
	case k != '{' && k != '[':
		return generatedText(string(b), within)
	case rawjson.Valid(b, rawjson.MaxDepth) != nil:
		return g, false
	}
	eachMember(b, func(key string, text string) bool {
		for _, r := range generationKeys {
			if key == r.key && text != "" {
				g, ok = Generation{Text: text, Source: r.source}, true
				return false
			}
		}
		g, ok = generatedText(text, within)
		return !ok
	})
	return g, ok
}

// generatedText looks into one text of an error.
func generatedText(s string, within int) (Generation, bool) {
	for _, r := range generationMarks {
		if g, ok := r.in(s); ok {
			return g, true
		}
	}
	if i := strings.IndexByte(s, '{'); within > 0 && i >= 0 {
		return generatedIn([]byte(strings.TrimSpace(s[i:])), within-1)
	}
	return Generation{}, false
}

// eachMember calls f with every text in b, at any depth, and the name of the
// member that it is, until f has had enough. Of texts in a list the name is the
// list's.
func eachMember(b []byte, f func(key, text string) bool) {
	more := true
	var look func(key string, v []byte)
	look = func(key string, v []byte) {
		switch rawjson.Kind(v) {
		case '{':
			_ = rawjson.Members(v, func(k, v []byte) bool {
				look(string(k), v)
				return more
			})
		case '[':
			_ = rawjson.Elements(v, func(v []byte) bool {
				look(key, v)
				return more
			})
		case '"':
			if s, err := rawjson.String(v); err == nil {
				more = f(key, s)
			}
		}
	}
	look("", b)
}
