package constrain

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// defs collects the definitions of tools whose schemas go into one document.
type defs struct {
	body []byte // members of $defs
	done map[string]bool
}

// placesOfDefs are where schemas keep what they refer to.
var placesOfDefs = []string{"$defs", "definitions"}

// arguments returns a tool's schema as a part of the document: its references
// lead to the document's definitions. A schema that refers to another place of
// its own stands as any object.
func (d *defs) arguments(t chat.Tool) []byte {
	src, fits := sourceOf(t.Schema), true
	prefix := t.Name + "."
	moved := mapSchema(src, func(s []byte) []byte {
		var cs []rawjson.Change
		for _, gone := range []string{"$schema", "$comment"} {
			if has(s, gone) {
				cs = append(cs, rawjson.Change{Key: gone})
			}
		}
		for _, other := range []string{"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"} {
			_, isText := textAt(s, other)
			fits = fits && !isText
		}
		if ref, ok := textAt(s, "$ref"); ok {
			to, known := refTo(ref, prefix)
			fits = fits && known
			cs = append(cs, rawjson.Change{Key: "$ref", Value: rawjson.AppendString(nil, to)})
		}
		if len(cs) == 0 {
			return s
		}
		return edit(s, cs...)
	})
	if !fits {
		return anyObject
	}
	var cs []rawjson.Change
	for _, place := range placesOfDefs {
		if v, ok := rawjson.Get(moved, place); ok {
			d.add(prefix, v)
			cs = append(cs, rawjson.Change{Key: place})
		}
	}
	if kind, _ := rawjson.Get(moved, "type"); rawjson.Kind(kind) != '"' && !has(moved, "$ref") {
		cs = append(cs, rawjson.Change{Key: "type", Value: []byte(`"object"`)})
	}
	return edit(moved, cs...)
}

// refTo moves a reference into a definition; ok is false for one to elsewhere.
func refTo(ref, prefix string) (to string, ok bool) {
	for _, place := range placesOfDefs {
		if name, ok := strings.CutPrefix(ref, "#/"+place+"/"); ok {
			return "#/$defs/" + prefix + name, true
		}
	}
	return ref, false
}

// add adds definitions, once for each tool.
func (d *defs) add(prefix string, named []byte) {
	if d.done == nil {
		d.done = map[string]bool{}
	}
	_ = rawjson.Members(named, func(k, v []byte) bool {
		name := prefix + string(k)
		if d.done[name] {
			return true
		}
		d.done[name] = true
		if len(d.body) > 0 {
			d.body = append(d.body, ',')
		}
		d.body = append(rawjson.AppendString(d.body, name), ':')
		d.body = append(d.body, v...)
		return true
	})
}

// root returns the document.
func (d *defs) root(schema []byte) []byte {
	if len(d.body) == 0 {
		return schema
	}
	all := append(append([]byte("{"), d.body...), '}')
	return edit(schema, rawjson.Change{Key: "$defs", Value: all})
}
