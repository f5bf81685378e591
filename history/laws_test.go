package history_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
)

// talker draws transcripts, orderly and not. Every text holds a token of its own.
type talker struct {
	t      *rapid.T
	tokens []string // of texts
	calls  []string // of arguments that are an object
}

func (d *talker) token() string {
	s := fmt.Sprintf("w%dw", len(d.tokens))
	d.tokens = append(d.tokens, s)
	return s
}

func (d *talker) pick(what string, of ...string) string {
	return rapid.SampledFrom(of).Draw(d.t, what)
}

func (d *talker) text() chat.Part {
	switch d.pick("text", "plain", "plain", "plain", "blank", "empty", "extra") {
	case "blank":
		return chat.Text{Text: " \n"}
	case "empty":
		return chat.Text{}
	case "extra":
		return chat.Text{Text: d.token(), Extra: chat.Extra{"openai.cache_control": json.RawMessage("1")}}
	}
	return chat.Text{Text: "say " + d.token() + "."}
}

func (d *talker) image() chat.Part { return chat.Image{URL: "data:image/png;base64," + d.token()} }

func (d *talker) opaque() chat.Part {
	return chat.Opaque{Protocol: "openai", Raw: json.RawMessage(`{"type":"input_audio","x":"` + d.token() + `"}`)}
}

var (
	ids   = []string{"", "a", "a", "b", "call.with/odd", "abcdef123", "functions.f:0", "functions.g:1", "toolu_01A", strings.Repeat("x", 50)}
	names = []string{"f", "f", "g"}
)

func (d *talker) call() chat.Part {
	c := chat.Call{ID: d.pick("id", ids...), Name: d.pick("name", names...)}
	switch d.pick("arguments", "object", "object", "cut", "none", "list", "twice", "custom", "marked") {
	case "object", "marked":
		token := fmt.Sprintf("c%dc", len(d.calls))
		d.calls = append(d.calls, token)
		c.Args = []byte(`{"x": "` + token + `"}`)
	case "cut":
		c.Args = []byte(`{"x`)
	case "list":
		c.Args = []byte(`[1]`)
	case "twice":
		c.Args = []byte(`"{\"x\":1}"`)
	case "custom":
		c.Args, c.Extra = []byte(`"{}"`), chat.Extra{"openai.type": json.RawMessage(`"custom"`)}
	}
	if rapid.Bool().Draw(d.t, "as object") {
		c.Extra = chat.Extra{"openai.arguments_as": json.RawMessage(`"object"`), "openai.x": json.RawMessage("1")}
		if rapid.Bool().Draw(d.t, "signed") {
			c.Extra["openai.extra_content"] = json.RawMessage(`{"google":{"thought_signature":"SIG"}}`)
		}
	}
	return c
}

func (d *talker) result() chat.Part {
	r := chat.Result{ID: d.pick("id", ids...), Error: rapid.Bool().Draw(d.t, "failed")}
	if rapid.Bool().Draw(d.t, "named") {
		r.Name = d.pick("name", names...)
	}
	for range rapid.IntRange(0, 2).Draw(d.t, "parts") {
		if rapid.IntRange(0, 3).Draw(d.t, "image") == 0 {
			r.Parts = append(r.Parts, d.image())
		} else {
			r.Parts = append(r.Parts, d.text())
		}
	}
	return r
}

func (d *talker) message() chat.Message {
	m := chat.Message{Role: chat.Role(d.pick("role", "user", "user", "assistant", "assistant", "tool", "tool", "system", "critic"))}
	n := rapid.IntRange(0, 3).Draw(d.t, "parts")
	for range n {
		kinds := []string{"text", "text", "image", "opaque"}
		switch m.Role {
		case chat.RoleAssistant:
			kinds = []string{"text", "call", "call", "reasoning"}
		case chat.RoleTool:
			kinds = []string{"result"}
		case chat.RoleUser:
			kinds = []string{"text", "text", "image", "opaque", "result"}
		}
		switch d.pick("part", kinds...) {
		case "text":
			m.Parts = append(m.Parts, d.text())
		case "image":
			m.Parts = append(m.Parts, d.image())
		case "opaque":
			m.Parts = append(m.Parts, d.opaque())
		case "call":
			m.Parts = append(m.Parts, d.call())
		case "reasoning":
			m.Parts = append(m.Parts, chat.Reasoning{Text: "hm"})
		case "result":
			m.Parts = append(m.Parts, d.result())
		}
	}
	if rapid.IntRange(0, 5).Draw(d.t, "extra") == 0 {
		m.Extra = chat.Extra{"openai.y": json.RawMessage("2")}
	}
	return m
}

func (d *talker) request() *chat.Request {
	q := &chat.Request{Model: "m", Wire: &chat.Wire{Protocol: "openai", Body: []byte("{}")}}
	for range rapid.IntRange(0, 2).Draw(d.t, "system") {
		q.System = append(q.System, d.text())
	}
	for range rapid.IntRange(0, 9).Draw(d.t, "messages") {
		q.Messages = append(q.Messages, d.message())
	}
	for i := range rapid.IntRange(0, 2).Draw(d.t, "tools") {
		q.Tools = append(q.Tools, chat.Tool{Name: []string{"f", "g"}[i]})
	}
	return q
}

// all returns every text of a request that somebody reads, pictures and raw
// parts included; calls are the arguments that stand as such.
func all(q *chat.Request) (texts, calls string) {
	var parts func(ps []chat.Part)
	parts = func(ps []chat.Part) {
		for _, p := range ps {
			switch v := p.(type) {
			case chat.Text:
				texts += v.Text + "\n"
			case chat.Image:
				texts += v.URL + "\n"
			case chat.Opaque:
				texts += string(v.Raw) + "\n"
			case chat.Result:
				parts(v.Parts)
			case chat.Call:
				calls += string(v.Args) + "\n"
			}
		}
	}
	parts(q.System)
	for _, m := range q.Messages {
		parts(m.Parts)
	}
	return texts, calls
}

// laws holds a request to all that Shape promises of it.
func laws(t *rapid.T, d *talker, q *chat.Request, rules history.Rules) {
	before := clone(q)
	out, notes := history.Shape(q, rules)
	if !reflect.DeepEqual(before, q) {
		t.Fatalf("%s changed its input: %s", rules, cmp.Diff(before, q))
	}
	if (out == q) != (len(notes) == 0) {
		t.Fatalf("%s: %d notes, and the request is the same: %v", rules, len(notes), out == q)
	}
	if out != q && out.Wire.Edited&chat.FieldMessages == 0 {
		t.Fatal("the wire form doesn't know of it")
	}
	again, more := history.Shape(out, rules)
	if again != out {
		t.Fatalf("%s isn't at its end: %v\n%s", rules, more, cmp.Diff(out, again))
	}
	other, _ := history.Shape(before, rules)
	if !reflect.DeepEqual(out, other) {
		t.Fatalf("%s gives two results: %s", rules, cmp.Diff(out, other))
	}
	texts, calls := all(out)
	for _, token := range d.tokens {
		if !strings.Contains(texts, token) {
			t.Fatalf("%s lost %s of\n%s", rules, token, shown(out))
		}
	}
	for _, token := range d.calls {
		if !strings.Contains(calls, token) && !strings.Contains(texts, token) {
			t.Fatalf("%s lost the arguments %s of\n%s", rules, token, shown(out))
		}
	}
	for i, name := range history.Names() {
		if rule := history.Rules(1 << i); rules.Has(rule) {
			if why := wants[name](out); why != "" {
				t.Fatalf("%s: %s: %s\n%s", rules, name, why, shown(out))
			}
		}
	}
}

func clone(q *chat.Request) *chat.Request {
	c := *q
	c.System = cloneParts(q.System)
	c.Messages = slices.Clone(q.Messages)
	for i := range c.Messages {
		c.Messages[i].Parts = cloneParts(c.Messages[i].Parts)
		c.Messages[i].Extra = cloneExtra(c.Messages[i].Extra)
	}
	return &c
}

func cloneParts(ps []chat.Part) []chat.Part {
	ps = slices.Clone(ps)
	for i, p := range ps {
		switch v := p.(type) {
		case chat.Text:
			v.Extra = cloneExtra(v.Extra)
			ps[i] = v
		case chat.Call:
			v.Args, v.Extra = slices.Clone(v.Args), cloneExtra(v.Extra)
			ps[i] = v
		case chat.Result:
			v.Parts, v.Extra = cloneParts(v.Parts), cloneExtra(v.Extra)
			ps[i] = v
		}
	}
	return ps
}

func cloneExtra(e chat.Extra) chat.Extra {
	if e == nil {
		return nil
	}
	out := chat.Extra{}
	for k, v := range e {
		out[k] = slices.Clone(v)
	}
	return out
}

func shown(q *chat.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "system %+v\n", q.System)
	for _, m := range q.Messages {
		fmt.Fprintf(&b, "%s", m.Role)
		for _, p := range m.Parts {
			if c, ok := p.(chat.Call); ok {
				fmt.Fprintf(&b, " | call %q %s %s", c.ID, c.Name, c.Args)
				continue
			}
			fmt.Fprintf(&b, " | %T %+v", p, p)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestEachRule: each rewrite alone keeps the laws and does what it is for.
func TestEachRule(t *testing.T) {
	for i, name := range history.Names() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := &talker{t: t}
				laws(t, d, d.request(), history.Rules(1<<i))
			})
		})
	}
}

// TestPairsOfRules: so does each with each other, on the same transcripts.
func TestPairsOfRules(t *testing.T) {
	n := len(history.Names())
	rapid.Check(t, func(t *rapid.T) {
		d := &talker{t: t}
		q := d.request()
		for i := range n {
			for k := i + 1; k < n; k++ {
				laws(t, d, q, history.Rules(1<<i|1<<k))
			}
		}
	})
}

// TestSetsOfRules: so does any number of them, and every flavour.
func TestSetsOfRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := history.Rules(rapid.Uint32Range(0, 1<<len(history.Names())-1).Draw(t, "rules"))
		d := &talker{t: t}
		laws(t, d, d.request(), rules)
	})
	for _, name := range history.Flavours() {
		rules, err := history.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := &talker{t: t}
				laws(t, d, d.request(), rules)
			})
		})
	}
}
