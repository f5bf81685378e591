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
