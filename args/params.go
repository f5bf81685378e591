package args

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// pythonWords are the literals that Python spells in its own way.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// fromText makes an object of arguments that came as text, typed by the schema.
func fromText(ps []chat.Param, sc *schema.Schema) (args []byte, repairs []string) {
	b := []byte{'{'}
	for i, p := range ps {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, p.Name), ':')
		v, repair := typed(p, sc)
		b = append(b, v...)
		if repair != "" && !slices.Contains(repairs, repair) {
			repairs = append(repairs, repair)
		}
	}
	return append(b, '}'), repairs
}

// typed gives one argument its JSON. Raw text stays raw where text is taken;
// elsewhere it is JSON, or a Python literal. What is neither stays text, for
// the check to refuse.
func typed(p chat.Param, sc *schema.Schema) (value []byte, repair string) {
	text := p.Text
	if !p.Literal {
		text = trimNewlines(text)
		prop, known := sc.Property(p.Name)
		if !known || len(prop.Types) == 0 || slices.Contains(prop.Types, "string") {
			return rawjson.AppendString(nil, text), ""
		}
	}
	bare := strings.TrimSpace(text)
	if rawjson.Valid([]byte(bare), schema.MaxNesting) == nil {
		return []byte(bare), ""
	}
	if inner, ok := strings.CutPrefix(bare, "<value>"); ok && !p.Literal {
		inner, ok = strings.CutSuffix(inner, "</value>")
		if inner = strings.TrimSpace(inner); ok && rawjson.Valid([]byte(inner), schema.MaxNesting) == nil {
			return []byte(inner), RepairValueTag
		}
	}
	if word, ok := pythonWords[bare]; ok {
		return []byte(word), RepairPython
	}
	if inner, ok := escapedOnceMore(bare); ok {
		return inner, RepairUnescape
	}
	return rawjson.AppendString(nil, text), ""
}

// escapedOnceMore reads a list or an object that was escaped as if it stood in
// a string: [{\"id\": 1}].
func escapedOnceMore(text string) ([]byte, bool) {
	if text == "" || text[0] != '[' && text[0] != '{' {
		return nil, false
	}
	quoted := []byte(`"` + text + `"`)
	if rawjson.Valid(quoted, 1) != nil {
		return nil, false
	}
	inner, err := rawjson.AppendUnquoted(nil, quoted)
	if err != nil || rawjson.Valid(inner, schema.MaxNesting) != nil {
		return nil, false
	}
	return inner, true
}

// trimNewlines takes exactly one line end off each side: the one with which
// models set a value apart from its tags. Both sides end their lines alike, so
// behind a plain newline a carriage return at the end is the value's own.
func trimNewlines(s string) string {
	if rest, ok := strings.CutPrefix(s, "\n"); ok {
		return strings.TrimSuffix(rest, "\n")
	}
	s = strings.TrimPrefix(s, "\r\n")
	if rest, ok := strings.CutSuffix(s, "\r\n"); ok {
		return rest
	}
	return strings.TrimSuffix(s, "\n")
}
