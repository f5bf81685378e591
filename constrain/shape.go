package constrain

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// plainCall is a call where the syntax isn't JSON, or its root is a list: what
// every prompt's answers are also read as.
func plainCall(name string) string {
	return string(rawjson.AppendString([]byte(`{"name":`), name)) + `,"arguments":` + mark + `}`
}

// answerSchema is the JSON Schema of an answer that holds calls and nothing
// else. Its root is an object; with object set it isn't a choice between several.
func answerSchema(c Constraint, fs []frame, object bool) []byte {
	d := defs{}
	texts := make([]string, len(fs))
	for i, f := range fs {
		texts[i] = f.text
	}
	if !slices.ContainsFunc(texts, func(t string) bool { return !isWritten(t) }) {
		listed := hasList([]byte(texts[0]))
		if listed || (c.Calls == 1 && (!object || len(fs) == 1)) {
			return d.root(shape(&d, c, texts))
		}
	}
	for i, f := range fs {
		texts[i] = plainCall(f.tool.Name)
		switch {
		case c.Calls > 1:
			texts[i] = `{"calls":[` + texts[i] + `]}`
		case object && len(fs) > 1:
			texts[i] = `{"call":` + texts[i] + `}`
		}
	}
	return d.root(shape(&d, c, texts))
}

// isWritten reports whether a whole call is a JSON object.
func isWritten(text string) bool {
	return rawjson.Valid([]byte(text), rawjson.MaxDepth) == nil && rawjson.Kind([]byte(text)) == '{' && strings.Contains(text, mark)
}

// hasList reports whether the arguments stand in an element of a list.
func hasList(v []byte) bool {
	if rawjson.Kind(v) == '[' {
		return true
	}
	found := false
	if rawjson.Kind(v) == '{' && string(v) != mark {
		_ = rawjson.Members(v, func(_, m []byte) bool {
			found = strings.Contains(string(m), mark) && hasList(m)
			return !found
		})
	}
	return found
}

// shape is the schema of values that are alike but for a call: one value for
// each tool, what is equal in all of them a constant.
func shape(d *defs, c Constraint, values []string) []byte {
	if values[0] == mark {
		return d.arguments(c.Tools[0])
	}
	switch rawjson.Kind([]byte(values[0])) {
	case '{':
		if len(values) > 1 && !sameBut(values) {
			return anyOf(d, c, values)
		}
		return objectShape(d, c, values)
	case '[':
		items := make([]string, len(values))
		for i, v := range values {
			_ = rawjson.Elements([]byte(v), func(e []byte) bool { items[i] = string(e); return true })
		}
		b := append([]byte(`{"type":"array","items":`), shape(d, c, items)...)
		b = strconv.AppendInt(append(b, `,"minItems":1,"maxItems":`...), int64(c.Calls), 10)
		return append(b, '}')
	}
	return constant([]byte(values[0]))
}

func anyOf(d *defs, c Constraint, values []string) []byte {
	b := []byte(`{"anyOf":[`)
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		one := c
		one.Tools = c.Tools[i : i+1]
		b = append(b, shape(d, one, []string{v})...)
	}
	return append(b, "]}"...)
}

// objectShape is an object of just these members, in this order.
func objectShape(d *defs, c Constraint, values []string) []byte {
	b, required := []byte(`{"type":"object","properties":{`), []byte(nil)
	n := 0
	_ = rawjson.Members([]byte(values[0]), func(k, v []byte) bool {
		if n++; n > 1 {
			b, required = append(b, ','), append(required, ',')
		}
		key := string(k)
		b = append(rawjson.AppendString(b, key), ':')
		required = rawjson.AppendString(required, key)
		member := []string{string(v)}
		if strings.Contains(member[0], mark) {
			for _, o := range values[1:] {
				ov, _ := rawjson.Get([]byte(o), key)
				member = append(member, string(ov))
			}
		}
		b = append(b, shape(d, c, member)...)
		return true
	})
	b = append(append(b, `},"required":[`...), required...)
	return append(b, `],"additionalProperties":false}`...)
}

// sameBut reports whether objects have the same members but for the one that
// holds the call, and that is no call itself.
func sameBut(values []string) bool {
	same := true
	_ = rawjson.Members([]byte(values[0]), func(k, v []byte) bool {
		if strings.Contains(string(v), mark) {
			same = string(v) != mark
			return same
		}
		for _, o := range values[1:] {
			ov, _ := rawjson.Get([]byte(o), string(k))
			same = same && string(ov) == string(v)
		}
		return same
	})
	return same
}

// constant is the schema of one value.
func constant(v []byte) []byte {
	b := []byte("{")
	if t := typeOf(v); t != "" {
		b = append(append(append(b, `"type":"`...), t...), `",`...)
	}
	return append(append(append(b, `"enum":[`...), v...), "]}"...)
}

func typeOf(v []byte) string {
	switch rawjson.Kind(v) {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '0':
		return "number"
	}
	return ""
}
