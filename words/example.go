package words

import (
	"bytes"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// longestWorked is how long the arguments of a worked example may be, in bytes.
const longestWorked = 300

// workedCall is a call to the first tool whose example can be told from a call
// that is meant: some text in it is made up and says so. nil: there is none.
func workedCall(tools []chat.Tool) *chat.Call {
	for _, t := range tools {
		if t.Kind != "" && t.Kind != chat.ToolFunction {
			continue
		}
		sc, err := schema.Compile(t.Schema)
		if err != nil {
			continue
		}
		args := sc.Example(nil)
		if rawjson.Kind(args) == '{' && len(args) <= longestWorked && bytes.Contains(args, []byte(`"<`)) && len(sc.MadeUp(args)) > 0 {
			return &chat.Call{Name: t.Name, Args: args}
		}
	}
	return nil
}
