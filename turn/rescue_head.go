package turn

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// What may stand around a name and its arguments where a server writes the
// opener itself, so that the model's text begins behind it.
const (
	headOpener = "<function="
	headCloser = "</function>"
)

// headOnly reads a text that is a tool's name and an object, with at most one
// of the marks around them. It reads one call, and only if that is all there is.
func headOnly(text string, known func(string) bool) (chat.Written, bool) {
	raw := strings.TrimSpace(text)
	head := strings.TrimPrefix(raw, headOpener)
	name, object, ok := strings.Cut(head, "{")
	name = strings.TrimSuffix(strings.TrimSpace(name), ">")
	object = "{" + strings.TrimSpace(strings.TrimSuffix(object, headCloser))
	if !ok || !nameFits(name) || !known(name) || rawjson.Valid([]byte(object), schema.MaxNesting) != nil {
		return chat.Written{}, false
	}
	return chat.Written{Name: name, JSON: []byte(object), Raw: []byte(raw)}, true
}
