package words

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// gemmaWriter writes calls in Gemma's language: keys are bare and strings stand
// between two tokens, with nothing escaped. What can't stand like that stands
// in quotes, as in JSON.
type gemmaWriter struct{ open, close, quote string }

func (g gemmaWriter) calls(b []byte, cs []chat.Call, _ Frame) []byte {
	for _, c := range cs {
		b = append(append(append(b, g.open...), gemmaCall...), c.Name...)
		b = g.object(b, argumentsOf(c))
		b = append(b, g.close...)
	}
	return b
}

func (g gemmaWriter) object(b []byte, members []argument) []byte {
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		if pythonName(m.name) {
			b = append(b, m.name...)
		} else {
			b = g.quoted(b, m.name)
		}
		b = g.value(append(b, ':'), m.value)
	}
	return append(b, '}')
}

func (g gemmaWriter) value(b, v []byte) []byte {
	switch rawjson.Kind(v) {
	case '{':
		var members []argument
		_ = rawjson.Members(v, func(k, e []byte) bool {
			members = append(members, argument{string(k), e})
			return true
		})
		return g.object(b, members)
	case '[':
		b = append(b, '[')
		first := true
		_ = rawjson.Elements(v, func(e []byte) bool {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = g.value(b, e)
			return true
		})
		return append(b, ']')
	case '"':
		s, err := rawjson.String(v)
		if err != nil {
			return append(b, v...)
		}
		return g.text(b, s)
	}
	return append(b, bytes.TrimSpace(v)...)
}

func (g gemmaWriter) text(b []byte, s string) []byte {
	for _, token := range []string{g.quote, g.open, g.close} {
		if strings.Contains(s, token) {
			return g.quoted(b, s)
		}
	}
	b = append(append(b, g.quote...), s...)
	return append(b, g.quote...)
}

// quoted writes a JSON string that no token can stand in.
func (g gemmaWriter) quoted(b []byte, s string) []byte {
	return append(b, bytes.ReplaceAll(rawjson.AppendString(nil, s), []byte("<"), []byte(`\u003c`))...)
}
