package provider

import (
	"net/url"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// way is what a protocol wants of HTTP beside path and body.
type way struct {
	keyHeader string              // carries the credential, in canonical form
	keyPrefix string              // stands before it there
	fixed     map[string][]string // headers that every request needs, unless the client sends its own
	models    string              // the path of the list of models, with its query
	more      string              // the list's member that is true where there is another page; "": next tells
	next      string              // the list's member that tells of another page; "": it has but one
	page      string              // the parameter that asks for it, by that member's value
	idPrefix  string              // stands before the models' names in the list
	methods   string              // a model's member that lists what can be done with it
	method    string              // what must be among it
}

// bearer is the way of most protocols.
var bearer = way{keyHeader: "Authorization", keyPrefix: "Bearer ", models: "/models"}

// ways are the protocols that go another one, by their names.
var ways = map[string]way{
	"anthropic": {
		keyHeader: "X-Api-Key", fixed: map[string][]string{"Anthropic-Version": {"2023-06-01"}},
		models: "/models?limit=1000", more: "has_more", next: "last_id", page: "after_id",
	},
	"gemini": {
		keyHeader: "X-Goog-Api-Key",
		models:    "/models?pageSize=1000", next: "nextPageToken", page: "pageToken",
		idPrefix: "models/", methods: "supportedGenerationMethods", method: "generateContent",
	},
}

func wayOf(protocol string) way {
	if w, ok := ways[protocol]; ok {
		return w
	}
	return bearer
}

// maxPages bounds the pages of one list.
const maxPages = 20

// nextPage is the path of the page behind the one that was read, "" for none.
func (w *way) nextPage(raw []byte) string {
	if w.next == "" {
		return ""
	}
	if more, _ := rawjson.Get(raw, w.more); w.more != "" && string(more) != "true" {
		return ""
	}
	v, _ := rawjson.Get(raw, w.next)
	mark, err := rawjson.String(v)
	if err != nil || mark == "" {
		return ""
	}
	return w.models + "&" + w.page + "=" + url.QueryEscape(mark)
}

// own turns the models of a list into those that can be asked, under the names
// that they are asked by.
func (w *way) own(ms []Model) []Model {
	for i := range ms {
		ms[i].ID = strings.TrimPrefix(ms[i].ID, w.idPrefix)
	}
	return ms
}

// serves reports whether a model of a list can be asked for an answer. One that
// doesn't say can.
func (w *way) serves(model []byte) bool {
	if w.methods == "" {
		return true
	}
	list, ok := rawjson.Get(model, w.methods)
	if !ok || rawjson.Kind(list) != '[' {
		return true
	}
	var can []string
	_ = rawjson.Elements(list, func(v []byte) bool {
		s, _ := rawjson.String(v)
		can = append(can, s)
		return true
	})
	return slices.Contains(can, w.method)
}
