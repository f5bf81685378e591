package constrain

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// maxDepth is how deep references and schemas are followed; below stands any value.
const maxDepth = 64

// byType are the rules of what only a type is known of.
var byType = map[string]string{
	"object": "object", "array": "array", "string": "string",
	"number": "number", "integer": "integer", "boolean": `("true" | "false")`, "null": `"null"`,
}

// schema returns a rule, or an expression that may stand for one, of a schema's
// values. What a grammar can't say well is left out: a pattern, a bound, a
// combination of schemas.
func (g *grammar) schema(s []byte, depth int) string {
	if rawjson.Kind(s) != '{' || depth > maxDepth || g.count > maxRules {
		return "value"
	}
	if ref, ok := textAt(s, "$ref"); ok {
		return g.reference(ref, depth)
	}
	if v, ok := rawjson.Get(s, "const"); ok {
		return constantRule(v)
	}
	if v, ok := rawjson.Get(s, "enum"); ok && rawjson.Kind(v) == '[' {
		return g.either(v, func(e []byte) string { return constantRule(e) })
	}
	kind, _ := rawjson.Get(s, "type")
	switch {
	case has(s, "properties") && (kind == nil || string(kind) == `"object"`):
		return g.object(s, depth)
	case string(kind) == `"object"` && !has(s, "anyOf") && !has(s, "oneOf"):
		return g.object(s, depth)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if v, ok := rawjson.Get(s, key); ok && rawjson.Kind(v) == '[' {
			return g.either(v, func(e []byte) string { return g.schema(e, depth+1) })
		}
	}
	if v, ok := rawjson.Get(s, "allOf"); ok && kind == nil {
		return g.single(v, depth)
	}
	switch rawjson.Kind(kind) {
	case '[':
		return g.either(kind, func(t []byte) string {
			return g.schema(edit(s, rawjson.Change{Key: "type", Value: bytes.Clone(t)}), depth+1)
		})
	case '"':
		return g.typed(s, kind, depth)
	}
	return "value"
}

func (g *grammar) typed(s, kind []byte, depth int) string {
	name, _ := rawjson.String(kind)
	switch name {
	case "array":
		return g.array(s, depth)
	case "string":
		if v, ok := rawjson.Get(s, "minLength"); ok && number(v) > 0 {
			return "filled"
		}
	}
	if rule, ok := byType[name]; ok {
		return rule
	}
	return "value"
}

// either is a choice between the elements of a list.
func (g *grammar) either(list []byte, rule func([]byte) string) string {
	var all []string
	_ = rawjson.Elements(list, func(e []byte) bool {
		all = append(all, rule(e))
		return true
	})
	if len(all) == 0 {
		return "value"
	}
	if len(all) == 1 {
		return all[0]
	}
	return g.fresh(strings.Join(all, " | "))
}

// single is the one schema of a list; several together aren't said.
func (g *grammar) single(list []byte, depth int) string {
	var one []byte
	n := 0
	_ = rawjson.Elements(list, func(e []byte) bool { one = e; n++; return true })
	if n != 1 {
		return "value"
	}
	return g.schema(one, depth+1)
}

// object has the fields in the schema's order, those that may be missing or not.
func (g *grammar) object(s []byte, depth int) string {
	props, _ := rawjson.Get(s, "properties")
	must := requiredOf(s)
	type field struct {
		rule string
		must bool
	}
	var fields []field
	_ = rawjson.Members(props, func(k, v []byte) bool {
		key := string(rawjson.AppendString(nil, string(k)))
		fields = append(fields, field{literal(key+":") + " ws " + g.schema(v, depth+1), must[string(k)]})
		delete(must, string(k))
		return true
	})
	more, told := rawjson.Get(s, "additionalProperties")
	switch {
	case len(must) > 0, has(s, "patternProperties"):
		return "object" // fields that it must have, or may, aren't told of
	case len(fields) == 0 && string(more) == "false":
		return `"{}"`
	case len(fields) == 0 && told && rawjson.Kind(more) == '{':
		v := g.schema(more, depth+1)
		return g.fresh(`"{" ws (string ":" ws ` + v + ` ("," ws string ":" ws ` + v + `)*)? ws "}"`)
	case len(fields) == 0:
		return "object"
	}
	// From the last field on: what may follow where none stands yet, and where one does.
	first, next := "", ""
	for i := len(fields) - 1; i >= 0; i-- {
		f := fields[i]
		here := f.rule + next
		behind := `"," ws ` + f.rule + next
		switch {
		case f.must:
			first = here
			next = " " + g.fresh(behind)
		case first == "":
			first = "(" + here + ")?"
			next = " " + g.fresh("("+behind+")?")
		default:
			first = here + " | " + first
			next = " " + g.fresh(behind+" |"+next)
		}
		if i > 0 {
			first = g.fresh(first)
		}
	}
	return g.fresh(`"{" ws (` + first + `) ws "}"`)
}

func requiredOf(s []byte) map[string]bool {
	must := map[string]bool{}
	if v, ok := rawjson.Get(s, "required"); ok && rawjson.Kind(v) == '[' {
		_ = rawjson.Elements(v, func(e []byte) bool {
			if name, err := rawjson.String(e); err == nil {
				must[name] = true
			}
			return true
		})
	}
	return must
}

// mostItems is how many items are counted out; a list that may have more may
// have any number.
const mostItems = 16

func (g *grammar) array(s []byte, depth int) string {
	item := "value"
	if v, ok := rawjson.Get(s, "items"); ok {
		item = g.schema(v, depth+1)
	}
	least, most := 0, 0
	if v, ok := rawjson.Get(s, "minItems"); ok {
		least = min(number(v), mostItems)
	}
	if v, ok := rawjson.Get(s, "maxItems"); ok {
		if most = number(v); most == 0 {
			return `"[]"`
		}
	}
	tail := ` ("," ws ` + item + ")*"
	if most > 0 && most <= mostItems && most >= least {
		tail = ""
		for range most - max(least, 1) {
			tail = ` ("," ws ` + item + tail + ")?"
		}
	}
	all := item
	for range least - 1 {
		all += ` "," ws ` + item
	}
	if all += tail; least == 0 {
		all = "(" + all + ")?"
	}
	return g.fresh(`"[" ws ` + all + ` ws "]"`)
}

// reference is the rule of what a reference leads to, made once.
func (g *grammar) reference(ref string, depth int) string {
	key := strconv.Itoa(g.tool) + ref
	if name, ok := g.named[key]; ok {
		return name
	}
	to, ok := g.target(ref)
	if !ok {
		return "value"
	}
	g.count++
	name := "d" + strconv.Itoa(g.count)
	g.named[key] = name
	rule := g.schema(to, depth+1)
	if rule == name { // it leads to itself
		rule = "value"
	}
	return g.rule(name, rule)
}

// target follows a reference within the tool's own schema.
func (g *grammar) target(ref string) ([]byte, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	if path == "" {
		return g.doc, true
	}
	if path[0] != '/' {
		return nil, false
	}
	at := g.doc
	for part := range strings.SplitSeq(path[1:], "/") {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		if at, ok = rawjson.Get(at, part); !ok {
			return nil, false
		}
	}
	return at, true
}

// constantRule is one value, as AppendString and compact JSON write it.
func constantRule(v []byte) string {
	if rawjson.Kind(v) == '"' {
		if s, err := rawjson.String(v); err == nil {
			v = rawjson.AppendString(nil, s)
		}
	}
	return literal(string(v))
}

// number is a count that a schema gives, 0 where it is none.
func number(v []byte) int {
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 0 {
		return 0
	}
	return n
}
