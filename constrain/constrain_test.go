package constrain_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/constrain"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

var update = flag.Bool("update", false, "write the snapshots anew")

const (
	weather = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`
	move    = `{"type":"object","properties":{"to":{"$ref":"#/$defs/place"},"by":{"enum":["foot","car"]}},"required":["to","by"],"$defs":{"place":{"type":"object","properties":{"x":{"type":"number"},"next":{"$ref":"#/$defs/place"}},"required":["x"]}}}`
)

var (
	one = []chat.Tool{{Name: "weather", Schema: []byte(weather)}}
	two = []chat.Tool{{Name: "weather", Schema: []byte(weather)}, {Name: "move", Schema: []byte(move)}}
)

// plan puts tools into words, so that a constraint has a real prompt to follow.
func plan(t *testing.T, syntax string, tools []chat.Tool) *words.Plan {
	t.Helper()
	p, err := words.NewPlan(request(tools), words.Settings{Syntax: syntax, Key: []byte("key"), Rand: strings.NewReader(strings.Repeat("r", 64))})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func request(tools []chat.Tool) *chat.Request {
	return &chat.Request{
		Model: "m", Stream: true, Tools: tools, Choice: chat.Choice{Mode: chat.ChoiceRequired},
		Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "go"}}}},
	}
}

// sent is what a constraint adds to a request, as it stands on the wire.
func sent(t *testing.T, q *chat.Request, c constrain.Constraint, f profile.Form) (string, bool) {
	t.Helper()
	out, kind, ok := constrain.Apply(q, c, []profile.Form{f})
	if ok != (kind != "") || !ok && out != q {
		t.Errorf("ok is %v, with %q", ok, kind)
	}
	_, body, err := openai.Client{}.EncodeRequest(out)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, other := range []string{"model", "messages", "stream_options"} {
		delete(m, other)
	}
	var b strings.Builder
	for _, k := range []string{"stream", "response_format", "grammar"} {
		if v, there := m[k]; there {
			fmt.Fprintf(&b, "%s: %s\n", k, v)
			delete(m, k)
		}
	}
	if len(m) > 0 {
		t.Errorf("more went out: %v", m)
	}
	return b.String(), ok
}

// TestWire: how each form goes over the wire, beside the syntaxes that it can follow.
func TestWire(t *testing.T) {
	var b strings.Builder
	for _, form := range []profile.Form{
		{Kind: profile.JSONSchema},
		{Kind: profile.JSONSchema, Strict: true, Object: true},
		{Kind: profile.JSONSchema, Object: true, Whole: true},
		{Kind: profile.JSONValue},
		{Kind: profile.StructuralTag},
		{Kind: profile.Grammar},
		{Kind: profile.GrammarFormat},
	} {
		for i, syntax := range []string{"hermes", "envelope", "qwen-coder"} {
			all := []constrain.Constraint{{Tools: two, Calls: 1, Forced: true}, {Tools: one, Calls: 1, Forced: true}, {Tools: two, Forced: true}, {Tools: two}}
			if i > 0 {
				all = all[:1]
			}
			for _, c := range all {
				p := plan(t, syntax, c.Tools)
				c.Write = p.Write
				got, ok := sent(t, p.Request(), c, form)
				fmt.Fprintf(&b, "-- %+v %s tools=%d calls=%d forced=%v: %v --\n", form, syntax, len(c.Tools), c.Calls, c.Forced, ok)
				if ok {
					b.WriteString(strings.ReplaceAll(got, p.Nonce(), "NONCE"))
				}
			}
		}
	}
	const file = "testdata/wire.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); d != "" {
		t.Error(d)
	}
}

// TestSchemas: every schema compiles, takes a right call in a shape that the
// plan's own Reader reads, and no wrong one.
func TestSchemas(t *testing.T) {
	right := map[string]string{"weather": `{"city":"Bonn"}`, "move": `{"to":{"x":1,"next":{"x":2}},"by":"foot"}`}
	wrong := map[string]string{"weather": `{"days":1}`, "move": `{"to":{"x":"1"},"by":"foot"}`}
	for _, syntax := range words.Names() {
		for _, object := range []bool{false, true} {
			for _, tools := range [][]chat.Tool{one, two} {
				for _, calls := range []int{1, 3} {
					t.Run(fmt.Sprintf("%s object=%v %d tools %d calls", syntax, object, len(tools), calls), func(t *testing.T) {
						p := plan(t, syntax, tools)
						q := p.Request()
						out, _, ok := constrain.Apply(q, constrain.Constraint{Tools: tools, Calls: calls, Forced: true, Write: p.Write}, []profile.Form{{Kind: profile.JSONSchema, Object: object}})
						if !ok {
							t.Fatal("no schema")
						}
						s, err := schema.Compile(out.Format.Schema)
						if err != nil {
							t.Fatalf("%v in %s", err, out.Format.Schema)
						}
						for _, tool := range tools {
							for _, text := range shapes(p, tool.Name, right[tool.Name]) {
								if s.Check([]byte(text)) == nil {
									reads(t, p, tool.Name, right[tool.Name], text)
									goto next
								}
							}
							t.Errorf("no call of %s passes %s", tool.Name, out.Format.Schema)
						next:
							for _, text := range append(shapes(p, tool.Name, wrong[tool.Name]), shapes(p, "other", right[tool.Name])...) {
								if s.Check([]byte(text)) == nil {
									t.Errorf("passes: %s", text)
								}
							}
						}
						for _, text := range []string{`{}`, `[]`, `"words"`, `{"calls":[]}`} {
							if s.Check([]byte(text)) == nil {
								t.Errorf("passes: %s", text)
							}
						}
					})
				}
			}
		}
	}
}

// shapes are the ways in which a call may stand alone in an answer.
func shapes(p *words.Plan, name, args string) []string {
	call := fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args)
	out := []string{call, `{"call":` + call + `}`, `{"calls":[` + call + `]}`}
	if own := p.Write([]chat.Call{{Name: name, Args: []byte(args)}}); json.Valid([]byte(own)) {
		out = append(out, own)
	}
	return out
}

// reads checks that the plan's own Reader takes an answer for the call.
func reads(t *testing.T, p *words.Plan, name, args, text string) {
	t.Helper()
	var got []chat.Written
	take := func(i words.Item) {
		if i.Kind == words.ItemCall {
			got = append(got, *i.Call)
		}
	}
	r := p.Reader(func(string) bool { return true }, nil)
	r.Write([]byte(text), take)
	r.Close(chat.FinishStop, take)
	if len(got) != 1 || !strings.HasSuffix(got[0].Name, name) || got[0].Why != "" || string(got[0].JSON) != args {
		t.Errorf("%s reads as %+v", text, got)
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		strict       bool
		want         string // of the arguments, where they are strict
	}{
		{
			"all required", `{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"title":"x"}`, true,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		},
		{
			"one may be missing", weather, true,
			`{"type":"object","properties":{"city":{"type":"string"},"days":{"anyOf":[{"type":"integer"},{"type":"null"}]}},"required":["city","days"],"additionalProperties":false}`,
		},
		{"null means something", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, false, ""},
		{
			"null that must be said", `{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"]}`, true,
			`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`,
		},
		{"open", `{"type":"object"}`, false, ""},
		{"open inside", `{"type":"object","properties":{"a":{"type":"object","additionalProperties":true}},"required":["a"]}`, false, ""},
		{"anything", `{"type":"object","properties":{"a":{}},"required":["a"]}`, false, ""},
		{"combined", `{"type":"object","properties":{"a":{"allOf":[{"type":"string"}]}},"required":["a"]}`, false, ""},
		{"no schema", ``, false, ""},
		{"a field not told of", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools := []chat.Tool{{Name: "f", Schema: []byte(c.schema)}}
			p := plan(t, "hermes", tools)
			out, _, _ := constrain.Apply(p.Request(), constrain.Constraint{Tools: tools, Calls: 1, Forced: true, Write: p.Write}, []profile.Form{{Kind: profile.JSONSchema, Strict: true, Object: true}})
			if f := out.Format; f == nil || f.Strict == nil || *f.Strict != c.strict {
				t.Fatalf("%+v", f)
			}
			if c.strict && !strings.Contains(string(out.Format.Schema), `"arguments":`+c.want) {
				t.Errorf("got %s\nwant %s", out.Format.Schema, c.want)
			}
		})
	}
}

// TestClientsOwn: where the client constrains the answer, nothing is added.
func TestClientsOwn(t *testing.T) {
	form := []profile.Form{{Kind: profile.JSONSchema}, {Kind: profile.Grammar}}
	for _, c := range []struct {
		body string
		want bool
	}{
		{`{}`, true},
		{`{"response_format":null}`, true},
		{`{"response_format":{"type":"text"}}`, true},
		{`{"response_format":{"type":"json_object"}}`, false},
		{`{"response_format":{"type":"grammar","grammar":"root ::= x"}}`, false},
		{`{"grammar":"root ::= \"x\""}`, false},
		{`{"structured_outputs":{"choice":["a"]}}`, false},
		{`{"guided_regex":"a"}`, false},
	} {
		q, fault := openai.Server{}.DecodeRequest("/chat/completions", chat.Wire{Protocol: openai.Name, Body: []byte(strings.Replace(c.body, "{", `{"model":"m","messages":[{"role":"user","content":"x"}],`, 1))})
		if c.body == `{}` {
			q, fault = openai.Server{}.DecodeRequest("/chat/completions", chat.Wire{Protocol: openai.Name, Body: []byte(`{"model":"m","messages":[{"role":"user","content":"x"}]}`)})
		}
		if fault != nil {
			t.Fatal(fault)
		}
		p := plan(t, "hermes", one)
		out, _, ok := constrain.Apply(q, constrain.Constraint{Tools: one, Forced: true, Write: p.Write}, form)
		if ok != c.want || !ok && out != q {
			t.Errorf("%s: %v", c.body, ok)
		}
		if ok {
			_, body, err := openai.Client{}.EncodeRequest(out)
			if err != nil || !json.Valid(body) || !strings.Contains(string(body), `"json_schema"`) {
				t.Errorf("%s: %v in %s", c.body, err, body)
			}
		}
	}
}

func TestAdd(t *testing.T) {
	members := map[string]string{"openai.skip_special_tokens": "false", "other.x": "1"}
	for came, want := range map[string]string{
		`{"model":"m","messages":[]}`:                             `{"model":"m","messages":[],"skip_special_tokens":false}`,
		`{"model":"m","skip_special_tokens":true,"messages":[]}`:  `{"model":"m","skip_special_tokens":true,"messages":[]}`,
		`{"model":"m","messages":[],"skip_special_tokens":false}`: `{"model":"m","messages":[],"skip_special_tokens":false}`,
	} {
		q := &chat.Request{Model: "m", Wire: &chat.Wire{Protocol: openai.Name, Body: []byte(came)}}
		_, body, err := openai.Client{}.EncodeRequest(constrain.Add(q, members))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, string(body)); d != "" {
			t.Error(d)
		}
		if q.Extra != nil {
			t.Error("the request itself was changed")
		}
	}
}

func TestWithConstant(t *testing.T) {
	for src, want := range map[string]string{
		weather: `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"},"live":{"type":"string","enum":["k"]}},"required":["city","live"]}`,
		`{"type":"object","properties":{"a":true}}`: `{"type":"object","properties":{"a":true,"live":{"type":"string","enum":["k"]}},"required":["live"]}`,
		`{"type":"object"}`:                         `{"type":"object"}`,
		``:                                          `{"type":"object"}`,
	} {
		if got := string(constrain.WithConstant([]byte(src), "live", "k")); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
