//go:build live

package gateway_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// liveModel is a name that the server takes: any, where it serves one model.
func liveModel() string {
	if name := os.Getenv("FERRULE_LIVE_MODEL"); name != "" {
		return name
	}
	return "m"
}

// liveAsks are requests that a client sends, and what is odd about each.
var liveAsks = []struct{ name, body string }{
	{"words", `"max_tokens":24,"messages":[{"role":"user","content":"Count to five."}]`},
	{"a stop sequence", `"max_tokens":24,"stop":["3"],"messages":[{"role":"user","content":"Count: 1, 2,"}]`},
	{"tools", `"max_tokens":24,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[` + weatherTool + `]`},
	{"a required call", `"max_tokens":48,"tool_choice":"required","messages":[{"role":"user","content":"What is the weather in Oslo?"}],"tools":[` + weatherTool + `]`},
	{"a call and its result", `"max_tokens":24,"messages":[{"role":"user","content":"What is the weather in Oslo?"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1","content":"rain, 7 degrees"}],"tools":[` + weatherTool + `]`},
	{"a JSON schema", `"max_tokens":48,"messages":[{"role":"user","content":"Name a city."}],` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","properties":{"city":{"type":"string","maxLength":12}},"required":["city"],"additionalProperties":false}}}`},
	{"a grammar that can't be read", `"max_tokens":8,"grammar":"root ::= (","messages":[{"role":"user","content":"hi"}]`},
	{"a schema that can't be read", `"max_tokens":8,"messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"nosuch"}}}`},
}

const weatherTool = `{"type":"function","function":{"name":"get_weather","description":"Current weather of a city","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`

// TestDifferentialLive compares against a real server, where one is named: a
// client sees the same of it bare and through the gateway.
func TestDifferentialLive(t *testing.T) {
	live := os.Getenv("FERRULE_LIVE")
	if live == "" {
		t.Skip("no server is named: FERRULE_LIVE=http://127.0.0.1:8080 would")
	}
	url := before(t, live)
	for _, ask := range liveAsks {
		for _, stream := range []string{"false", "true"} {
			t.Run(ask.name+", stream "+stream, func(t *testing.T) {
				body := `{"model":"` + liveModel() + `","seed":1,"temperature":0,"stream":` + stream + `,` + ask.body + `}`
				see(t, live, body) // the server's cache is then as warm for the one as for the other
				bare, through := see(t, live, body), see(t, url, body)
				if bare.Status >= 400 {
					sameFault(t, bare, through)
					return
				}
				if d := cmp.Diff(timeless(bare), timeless(through)); d != "" {
					t.Errorf("bare against through the gateway:\n%s", d)
				}
			})
		}
	}
}

// sameFault: an error keeps its status and its text.
func sameFault(t *testing.T, bare, through seen) {
	t.Helper()
	var want, got struct{ Error struct{ Message string } }
	if err := json.Unmarshal([]byte(bare.Body), &want); err != nil {
		t.Fatalf("the server's error is no JSON: %s", bare.Body)
	}
	if err := json.Unmarshal([]byte(through.Body), &got); err != nil {
		t.Fatalf("the gateway's error is no JSON: %s", through.Body)
	}
	if through.Status != bare.Status || !strings.Contains(got.Error.Message, want.Error.Message) {
		t.Errorf("bare %d %s\nthrough the gateway %d %s", bare.Status, bare.Body, through.Status, through.Body)
	}
}

// ofTheHop are headers that a server says of its own connection, and that the
// gateway therefore doesn't pass on: who may read it in a browser, what a proxy
// right in front of it shall do, what it is.
var ofTheHop = []string{"Access-Control-Allow-Origin", "Keep-Alive", "Server", "X-Accel-Buffering"}

// differs matches what differs from one answer of a server to its next: ids,
// times and speeds.
var differs = regexp.MustCompile(`"(id|created|timings)":("[^"]*"|[0-9]+|\{[^{}]*\})`)

func timeless(s seen) seen {
	for _, name := range ofTheHop {
		delete(s.Header, name)
	}
	s.Body = differs.ReplaceAllString(s.Body, `"$1":…`)
	return s
}
