package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
)

// TestFieldLog: a schema that the provider is known to have refused as
// parameters doesn't go there.
func TestFieldLog(t *testing.T) {
	n := 0
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c struct {
			ID    string
			Input struct {
				Dialect string
				Schema  json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		if c.Input.Dialect != "gemini" || c.Input.Schema == nil {
			continue
		}
		n++
		q := &chat.Request{Model: "m", Tools: []chat.Tool{{Name: "f", Schema: c.Input.Schema, Kind: chat.ToolFunction}}}
		if _, body := encode(t, q); !strings.Contains(body, `"parametersJsonSchema":`) {
			t.Errorf("%s goes as parameters: %s", c.ID, c.Input.Schema)
		}
	}
	if n == 0 {
		t.Error("no case of this provider's")
	}
	t.Logf("%d schemas", n)
}
