package words

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

const (
	repairFlat  = "flat_arguments" // arguments beside the name
	repairNamed = "name_as_key"    // the name is the key of the arguments
)

// callTypes are what a member "type" of a call says where it is no argument.
var callTypes = []string{"function", "function_call", "tool_call", "tool_use", "tool", "call"}

// named reads {name: {arguments}}.
func (fs *fields) named(w *chat.Written) bool {
	if len(fs.keys) != 1 || fs.keys[0] == "" || fs.keys[0] == "type" || rawjson.Kind(fs.vals[0]) != '{' {
		return false
	}
	w.Name, w.JSON = fs.keys[0], bytes.Clone(fs.vals[0])
	fs.keys[0] = ""
	fs.repair(repairNamed)
	fs.unescape(w)
	return true
}

// unescape takes the backslashes off the underscores of a name, which models
// write as they would in Markdown.
func (fs *fields) unescape(w *chat.Written) {
	if name := strings.ReplaceAll(w.Name, `\_`, "_"); name != w.Name {
		w.Name = name
		fs.repair("escaped_name")
	}
}

// flat makes an object of the members that nobody took.
func (fs *fields) flat() []byte {
	b := []byte{'{'}
	for i, k := range fs.keys {
		if k == "" || k == "type" && isCallType(fs.vals[i]) {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',', ' ')
		}
		b = append(rawjson.AppendString(b, k), ':', ' ')
		b = append(b, fs.vals[i]...)
		fs.keys[i] = ""
	}
	return append(b, '}')
}

func isCallType(v []byte) bool {
	s, err := rawjson.String(v)
	return err == nil && slices.Contains(callTypes, s)
}
