package turn_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/turn"
)

// signing answers with one call on which a signature hangs, and keeps what it was sent.
type signing struct{ asked *chat.Request }

func (u *signing) Send(_ context.Context, q *chat.Request) (chat.Stream, error) {
	u.asked = q
	const call = `{"id":"call_123456","type":"function","function":{"name":"f","arguments":"{\"x\":1}"},"extra_content":{"s":"sig"}}`
	return openai.Client{}.Decode(strings.NewReader(`{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[`+call+`]},"finish_reason":"tool_calls"}]}`), ""), nil
}

// TestExtraIsTheModels: what a provider hung on a call goes back to the model
// that made it, for the client key that it was made for, and to no other.
func TestExtraIsTheModels(t *testing.T) {
	ask := func(args, extra string) *chat.Request {
		quoted, _ := json.Marshal(args)
		q, fault := openai.Server{}.DecodeRequest("", chat.Wire{Body: []byte(`{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_123456","type":"function","function":{"name":"f","arguments":` + string(quoted) + `}` + extra + `}]},{"role":"tool","tool_call_id":"call_123456","content":"ok"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`)})
		if fault != nil {
			t.Fatal(fault)
		}
		return q
	}
	for _, c := range []struct {
		name, owner, provider, model, args, extra string
		memory                                    turn.Memory
		want                                      string
	}{
		{"the same", "a", "p", "m", `{"x":1}`, "", &turn.LocalMemory{}, `{"s":"sig"}`},
		{"spelled otherwise", "a", "p", "m", `{"x": 1.0}`, "", &turn.LocalMemory{}, `{"s":"sig"}`},
		{"the client's own", "a", "p", "m", `{"x":1}`, `,"extra_content":{"s":"mine"}`, &turn.LocalMemory{}, `{"s":"mine"}`},
		{"another client key", "b", "p", "m", `{"x":1}`, "", &turn.LocalMemory{}, ""},
		{"another provider", "a", "q", "m", `{"x":1}`, "", &turn.LocalMemory{}, ""},
		{"another model", "a", "p", "n", `{"x":1}`, "", &turn.LocalMemory{}, ""},
		{"another call", "a", "p", "m", `{"x":2}`, "", &turn.LocalMemory{}, ""},
		{"no memory", "a", "p", "m", `{"x":1}`, "", nil, ""},
		{"it forgets", "a", "p", "m", `{"x":1}`, "", forgetful{}, ""},
		{"it holds nonsense", "a", "p", "m", `{"x":1}`, "", nonsense{}, ""},
	} {
		u := &signing{}
		r := &turn.Runner{Memory: c.memory}
		run := func(owner, provider, model string, q *chat.Request) {
			target := turn.Target{Provider: provider, Model: model, Owner: owner, Upstream: u, Profile: profile.Profile{Tools: profile.Native}}
			if _, err := r.Run(t.Context(), target, q, func(chat.Frame) error { return nil }); err != nil && err != io.EOF {
				t.Fatal(err)
			}
		}
		run("a", "p", "m", ask(`{"x":1}`, ""))
		q := ask(c.args, c.extra)
		run(c.owner, c.provider, c.model, q)
		got := string(u.asked.Messages[1].Parts[0].(chat.Call).Extra["openai.extra_content"])
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if touched := u.asked.Wire.Edited&chat.FieldMessages != 0; touched != (c.want != "" && c.extra == "") {
			t.Errorf("%s: messages written anew: %v", c.name, touched)
		}
		if c.extra == "" && len(q.Messages[1].Parts[0].(chat.Call).Extra) > 0 {
			t.Errorf("%s: the client's request was changed", c.name)
		}
	}
}
