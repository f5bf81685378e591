package main

import (
	"encoding/json"
	"testing"
)

// FuzzShape: whatever a line holds, it is shaped or refused, and the answer is a
// list of messages.
func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"a"}],"flavour":"any"}`))
	f.Add([]byte(`{"messages":[{"role":"system","content":"s"},{"role":"tool","tool_call_id":"x","content":[{"type":"text","text":"5C"}]},{"role":"assistant","tool_calls":[{"id":"x","function":{"name":"f","arguments":"{"}}]}],"flavour":"mistral"}`))
	f.Add([]byte(`{"messages":[{"role":"assistant","tool_calls":[{"id":1,"function":{"name":"f","arguments":{"a":1}}},7]},{"role":"function","name":"f","content":null}],"flavour":"no-tool-role,ids-nine","tools":[]}`))
	f.Add([]byte(`{"messages":[7,{"role":"critic"}],"flavour":"alternating-template"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := shapeLine(line)
		if err != nil {
			return
		}
		if s.Notes == nil || !json.Valid(s.Messages) || s.Messages[0] != '[' {
			t.Fatalf("%q and %v", s.Messages, s.Notes)
		}
	})
}
