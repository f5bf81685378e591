package turn

import (
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// unnamed finds the tool of arguments whose server lost the name: the only one
// that takes them as they are, with each field its own and every required one
// there. A tool that writes is never found so.
func (r *rescue) unnamed(text string, x *run) (chat.Written, bool) {
	var found []chat.Written
	for _, t := range r.gate.tools {
		if !r.gate.choice.Permits(t.Name) {
			continue
		}
		w := chat.Written{Name: t.Name, JSON: []byte(text), Raw: []byte(text)}
		v := r.gate.pass(w)
		if v.foreign || v.problems != nil || len(v.calls) != 1 || len(v.notes) > 0 || !ownFields(t, v.calls[0].Args) {
			continue
		}
		w.Repairs = []string{RepairRescue, RepairUnnamed}
		if rule, _ := ruleOf(t, r.Profile); rule.Writes {
			return w, false // it may have been meant
		}
		found = append(found, w)
	}
	if len(found) != 1 || x.quotes(found[0]) {
		return chat.Written{}, false
	}
	return found[0], true
}

// ownFields reports whether an object has fields that a tool requires, and none
// that the tool doesn't name.
func ownFields(t chat.Tool, object []byte) bool {
	if rawjson.Valid(t.Schema, schema.MaxNesting) != nil {
		return false
	}
	var required []string
	list, _ := rawjson.Get(t.Schema, "required")
	_ = rawjson.Elements(list, func(v []byte) bool {
		if s, err := rawjson.String(v); err == nil {
			required = append(required, s)
		}
		return true
	})
	own, some := true, false
	_ = rawjson.Members(object, func(k, _ []byte) bool {
		_, named := rawjson.Get(t.Schema, "properties", string(k))
		own = own && named
		some = some || slices.Contains(required, string(k))
		return own
	})
	return own && some
}
