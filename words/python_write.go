package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// appendPython appends a call as Python has it, name(key=literal, …).
// Arguments whose names Python can't spell follow in a dict behind two asterisks.
func appendPython(b []byte, c chat.Call) []byte {
	b = append(append(b, c.Name...), '(')
	var odd []argument
	n := 0
	for _, a := range argumentsOf(c) {
		if !pythonName(a.name) {
			odd = append(odd, a)
			continue
		}
		if n++; n > 1 {
			b = append(b, ", "...)
		}
		b = appendPythonValue(append(append(b, a.name...), '='), a.value)
	}
	for i, a := range odd {
		switch {
		case i == 0 && n > 0:
			b = append(b, ", **{"...)
		case i == 0:
			b = append(b, "**{"...)
		default:
			b = append(b, ", "...)
		}
		b = appendPythonValue(append(rawjson.AppendString(b, a.name), ": "...), a.value)
	}
	if len(odd) > 0 {
		b = append(b, '}')
	}
	return append(b, ')')
}

// pythonName reports whether a name can stand before an equals sign.
func pythonName(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || c == '.' || c == '-' || !pyNameByte(c) || c == '\\' {
			return false
		}
	}
	return name != "" && pyNameStart(name[0]) && len(name) <= pyMaxName
}

// appendPythonValue appends a JSON value as a Python literal. Strings and
// numbers are spelled alike in both.
func appendPythonValue(b, v []byte) []byte {
	first := true
	next := func() {
		if !first {
			b = append(b, ", "...)
		}
		first = false
	}
	switch rawjson.Kind(v) {
	case '{':
		b = append(b, '{')
		_ = rawjson.Members(v, func(k, e []byte) bool {
			next()
			b = appendPythonValue(append(rawjson.AppendString(b, string(k)), ": "...), e)
			return true
		})
		return append(b, '}')
	case '[':
		b = append(b, '[')
		_ = rawjson.Elements(v, func(e []byte) bool {
			next()
			b = appendPythonValue(b, e)
			return true
		})
		return append(b, ']')
	case '"':
		return appendSpelled(b, v)
	case 't':
		return append(b, "True"...)
	case 'f':
		return append(b, "False"...)
	case 'n':
		return append(b, "None"...)
	}
	return append(b, bytes.TrimSpace(v)...)
}

// appendSpelled appends a JSON string with no more escapes than it needs: a
// slash needs none, which not every syntax knows.
func appendSpelled(b, v []byte) []byte {
	s, err := rawjson.String(v)
	if err != nil {
		return append(b, v...)
	}
	return rawjson.AppendString(b, s)
}
