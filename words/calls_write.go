package words

import (
	"bytes"
	"encoding/json"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// argsOf is what stands for a call's arguments in a prompt: compact JSON. What
// isn't JSON (a call of the transcript that was cut) stands as a JSON string,
// so that the shape stays whole and nothing of it is lost.
func argsOf(c chat.Call) []byte {
	args := bytes.TrimSpace(c.Args)
	if len(args) == 0 {
		return []byte("{}")
	}
	var out bytes.Buffer
	if json.Compact(&out, args) != nil {
		return rawjson.AppendString(nil, string(args))
	}
	return out.Bytes()
}

// argument is one of a call's arguments, its value as JSON.
type argument struct {
	name  string
	value []byte
}

// argumentsOf lists a call's arguments one by one. What isn't an object stands
// as the one argument that there is.
func argumentsOf(c chat.Call) (list []argument) {
	args := argsOf(c)
	switch rawjson.Kind(args) {
	case '{':
		// They were compacted, so they are JSON.
		_ = rawjson.Members(args, func(k, v []byte) bool {
			list = append(list, argument{string(k), v})
			return true
		})
	case 'n':
	default:
		list = []argument{{"arguments", args}}
	}
	return list
}

// appendCall appends a call as one JSON object.
func appendCall(b []byte, c chat.Call, argsKey string) []byte {
	b = rawjson.AppendString(append(b, `{"name": `...), c.Name)
	b = append(append(append(b, `, "`...), argsKey...), `": `...)
	return append(append(b, argsOf(c)...), '}')
}

// appendCallList appends calls as a JSON list of objects.
func appendCallList(b []byte, cs []chat.Call) []byte {
	b = append(b, '[')
	for i, c := range cs {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendCall(b, c, argKeys[0])
	}
	return append(b, ']')
}
