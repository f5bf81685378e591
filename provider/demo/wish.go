package demo

import (
	"regexp"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// wish is a plain sentence that asks for a tool.
type wish struct {
	says *regexp.Regexp // its groups are named after what they hold
	tool []string       // the tool's name holds one of these
}

var wishes = []wish{
	{regexp.MustCompile(`(?i)\bweather\b.*?\b(?:in|for|at) (?P<place>[\p{L}][\p{L} '-]*)`), []string{"weather"}},
	{regexp.MustCompile(`(?i)\b(?:what time|the time|current time)\b(?:.*?\bin (?P<place>[\p{L}][\p{L} '-]*))?`), []string{"time", "clock"}},
	{regexp.MustCompile(`(?i)\bwrite "(?P<text>[^"]*)" (?:to|into|in) (?:the file )?(?P<path>[\w./-]*\w)`), []string{"write", "create"}},
	{regexp.MustCompile(`(?i)\b(?:read|open|show)\b (?:me )?(?:the file )?(?P<path>[\w./-]*[./][\w./-]*\w)`), []string{"read", "open", "cat"}},
	{regexp.MustCompile(`(?i)\blist (?:the |all )?files(?: in (?P<path>[\w./-]*[\w/]))?`), []string{"list", "ls", "glob"}},
	{regexp.MustCompile(`(?i)\b(?:what is|calculate|compute) (?P<sum>[\d(][\d .+*/()-]*\d\)?)`), []string{"calc", "math", "add"}},
	{regexp.MustCompile(`(?i)\bsearch (?:for )?(?P<query>[^.?!\n]+)`), []string{"search", "find"}},
}

// fieldNames are the names of the fields that take what a wish holds.
var fieldNames = map[string][]string{
	"place": {"city", "location", "place", "timezone", "zone"},
	"path":  {"path", "file", "filename", "file_path", "dir", "directory"},
	"text":  {"content", "contents", "text", "data"},
	"sum":   {"expression", "formula", "sum"},
	"query": {"query", "q", "pattern", "term"},
}

// understand turns a plain sentence into a call of one of the tools. asked
// says that it is a wish at all, whether or not there is a tool for it.
func understand(s string, tools []tool) (c call, asked, ok bool) {
	for _, w := range wishes {
		m := w.says.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		asked = true
		held := map[string]string{}
		for i, name := range w.says.SubexpNames() {
			if name != "" && m[i] != "" {
				held[name] = strings.TrimSpace(m[i])
			}
		}
		for _, part := range w.tool {
			for _, t := range tools {
				if strings.Contains(strings.ToLower(t.name), part) && t.whole() {
					return call{name: t.name, args: fill(t, held, s)}, true, true
				}
			}
		}
	}
	return call{}, asked, false
}

// whole reports whether the tool's definition is fit for use: each field that
// it requires is described.
func (t tool) whole() bool {
	for _, name := range t.required() {
		if _, ok := rawjson.Get(t.schema, "properties", name); !ok {
			return false
		}
	}
	return true
}

func (t tool) required() []string {
	var names []string
	if list, ok := rawjson.Get(t.schema, "required"); ok {
		_ = rawjson.Elements(list, func(v []byte) bool {
			names = append(names, text(v))
			return true
		})
	}
	return names
}

// fill writes arguments: what the wish holds goes where it fits by name, and
// what is required besides gets the first value that its schema takes.
func fill(t tool, held map[string]string, said string) string {
	required := map[string]bool{}
	for _, name := range t.required() {
		required[name] = true
	}
	out := []byte{'{'}
	add := func(name string, value []byte) {
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = append(append(rawjson.AppendString(out, name), ": "...), value...)
	}
	properties, _ := rawjson.Get(t.schema, "properties")
	used := map[string]bool{}
	_ = rawjson.Members(properties, func(k, schema []byte) bool {
		name := string(k)
		if what := holds(name, held); what != "" && !used[what] && isText(schema) {
			used[what] = true
			add(name, rawjson.AppendString(nil, held[what]))
			return true
		}
		if !required[name] {
			return true
		}
		if len(used) == 0 && len(held) == 1 && isText(schema) && !hasEnum(schema) {
			for what, v := range held {
				used[what] = true
				add(name, rawjson.AppendString(nil, v))
			}
			return true
		}
		add(name, someValue(schema, said))
		return true
	})
	return string(append(out, '}'))
}

// holds names the part of a wish that a field is named after.
func holds(field string, held map[string]string) string {
	for what := range held {
		for _, name := range fieldNames[what] {
			if strings.EqualFold(field, name) {
				return what
			}
		}
	}
	return ""
}

func isText(schema []byte) bool {
	t, _ := rawjson.Get(schema, "type")
	return text(t) == "string"
}

func hasEnum(schema []byte) bool {
	_, ok := rawjson.Get(schema, "enum")
	return ok
}

// someValue is the simplest value that a schema takes.
func someValue(schema []byte, said string) []byte {
	if list, ok := rawjson.Get(schema, "enum"); ok {
		var first []byte
		_ = rawjson.Elements(list, func(v []byte) bool { first = v; return false })
		if first != nil {
			return first
		}
	}
	for _, key := range []string{"const", "default", "minimum"} {
		if v, ok := rawjson.Get(schema, key); ok {
			return v
		}
	}
	t, _ := rawjson.Get(schema, "type")
	if v, ok := simplest[text(t)]; ok {
		return []byte(v)
	}
	if said == "" {
		said = "something"
	}
	return rawjson.AppendString(nil, said)
}

var simplest = map[string]string{"integer": "1", "number": "1", "boolean": "true", "array": "[]", "object": "{}", "null": "null"}
