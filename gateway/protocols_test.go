package gateway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/protocol/anthropic"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/provider/demo"
	"github.com/ferrule/ferrule/turn"
)

// spoken are the protocols that the gateway speaks both ways, and where below a
// server's root each begins.
var spoken = []struct {
	name   string
	base   string
	client protocol.Client
}{
	{openai.Name, "/v1", openai.Client{}},
	{anthropic.Name, "/v1", anthropic.Client{}},
}

// talk is what came of one exchange, in no protocol's words.
type talk struct {
	Text   string
	Calls  []string // name and arguments
	Finish chat.Finish
	Status int // of a fault; 0: there is none
}

// exchanges are what each pair of protocols is put through: the demo model does
// what it is told.
var exchanges = []struct {
	name string
	ask  func(q *chat.Request)
	want talk
}{
	{"text", asks(`say "hello there"`), talk{Text: "hello there", Finish: chat.FinishStop}},
	{"one call", asks(`do get_weather {"city":"Paris"}`), talk{Calls: []string{`get_weather {"city":"Paris"}`}, Finish: chat.FinishCalls}},
	{"two calls", asks(`do get_weather {"city":"Paris"} and get_time {"zone":"CET"}`), talk{Calls: []string{`get_weather {"city":"Paris"}`, `get_time {"zone":"CET"}`}, Finish: chat.FinishCalls}},
	{"a result", func(q *chat.Request) {
		q.Messages = []chat.Message{
			{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: "do get_weather {\"city\":\"Paris\"}\nrepeat the result"}}},
			{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: "call_a1B2c3D4e", Name: "get_weather", Args: []byte(`{"city":"Paris"}`)}}},
			{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "call_a1B2c3D4e", Name: "get_weather", Parts: []chat.Part{chat.Text{Text: "18 C and \"windy\""}}}}},
		}
	}, talk{Text: `18 C and "windy"`, Finish: chat.FinishStop}},
	{"a call that must come", func(q *chat.Request) {
		asks(`do get_time {"zone":"CET"}`)(q)
		q.Choice = chat.Choice{Mode: chat.ChoiceNamed, Name: "get_time"}
	}, talk{Calls: []string{`get_time {"zone":"CET"}`}, Finish: chat.FinishCalls}},
	{"an error", func(q *chat.Request) { asks("hello")(q); q.Model = "nobody/nothing" }, talk{Status: http.StatusNotFound}},
}

func asks(words string) func(*chat.Request) {
	return func(q *chat.Request) {
		q.Messages = []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: words}}}}
	}
}

// demoGateway starts a gateway before the demo models, which speaks every protocol:
// the upstream of the one that is tested.
func demoGateway(t *testing.T) string {
	t.Helper()
	url, stop, err := demo.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return gatewayTo(t, map[string]gateway.Provider{"demo": place(t, "demo", url, openai.Name, openai.Client{})})
}

func place(t *testing.T, name, url, protocol string, c protocol.Client) gateway.Provider {
	t.Helper()
	up, err := provider.New(provider.Config{Name: name, URL: url, Protocol: protocol, Client: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return gateway.Provider{Name: name, Upstream: up}
}

func gatewayTo(t *testing.T, places map[string]gateway.Provider) string {
	t.Helper()
	o := gateway.Options{Runner: &turn.Runner{Key: []byte("a key for tests"), Memory: &turn.LocalMemory{}}}
	for _, p := range places {
		o.Providers = append(o.Providers, p)
	}
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	t.Cleanup(front.Close)
	return front.URL
}

// TestProtocols: every client protocol before every upstream protocol, native
// and in words, streamed and not: the same six exchanges come out the same.
func TestProtocols(t *testing.T) {
	back := demoGateway(t)
	places := map[string]gateway.Provider{}
	for _, up := range spoken {
		for mode, model := range map[profile.Mode]string{profile.Native: "native", profile.Emulated: "chat-lite"} {
			p := place(t, up.name+"-"+string(mode), back+up.base, up.name, up.client)
			p.Profile = profile.Profile{Tools: mode}
			p.Models = map[string]profile.Profile{"demo/" + model: {}}
			places[p.Name] = p
		}
	}
	front := gatewayTo(t, places)
	table := map[string]string{}
	for _, down := range spoken {
		for _, up := range spoken {
			for mode, model := range map[profile.Mode]string{profile.Native: "native", profile.Emulated: "chat-lite"} {
				cell := "all six"
				for _, stream := range []bool{false, true} {
					for _, x := range exchanges {
						ok := t.Run(fmt.Sprintf("%s before %s, %s/streamed %v/%s", down.name, up.name, mode, stream, x.name), func(t *testing.T) {
							q := &chat.Request{Model: up.name + "-" + string(mode) + "/demo/" + model, Stream: stream, Usage: stream, Tools: []chat.Tool{
								{Name: "get_weather", Description: "Tells the weather.", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
								{Name: "get_time", Description: "Tells the time.", Kind: chat.ToolFunction, Schema: []byte(`{"type":"object","properties":{"zone":{"type":"string"}},"required":["zone"]}`)},
							}}
							x.ask(q)
							if d := cmp.Diff(x.want, converse(t, front+down.base, down.client, q)); d != "" {
								t.Errorf("(-want +got)\n%s", d)
							}
						})
						if !ok {
							cell = "fails"
						}
					}
				}
				table[down.name+" "+up.name+" "+string(mode)] = cell
			}
		}
	}
	checkTable(t, table)
}

// converse has one exchange with a server, in a protocol.
func converse(t *testing.T, base string, c protocol.Client, q *chat.Request) (got talk) {
	t.Helper()
	path, body, err := c.EncodeRequest(q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(base+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(r.Body)
		f := c.DecodeFault(r.StatusCode, chat.Wire{Header: r.Header, Body: b})
		if f.Text == "" || !json.Valid(b) {
			t.Errorf("the error is %s", b)
		}
		return talk{Status: f.Status}
	}
	if streamed := strings.Contains(r.Header.Get("Content-Type"), "event-stream"); streamed != q.Stream {
		t.Errorf("it came as %s", r.Header.Get("Content-Type"))
	}
	s := c.Decode(r.Body, r.Header.Get("Content-Type"))
	defer s.Close()
	for {
		f, err := s.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatalf("after %+v: %v", got, err)
		}
		if f.Misread {
			t.Errorf("it isn't what the protocol wants: %s", f.Raw)
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				got.Text += e.Text
			case chat.EventCallEnd:
				var b bytes.Buffer
				if json.Compact(&b, e.Call.Args) != nil || e.Call.ID == "" {
					t.Errorf("the call is %+v", e.Call)
				}
				got.Calls = append(got.Calls, e.Call.Name+" "+b.String())
			case chat.EventFinish:
				got.Finish = e.Finish
			case chat.EventFault:
				got.Status = e.Fault.Status
			}
		}
	}
}

// checkTable holds docs/protocols.md to what was seen.
func checkTable(t *testing.T, table map[string]string) {
	t.Helper()
	const page, begin, end = "../docs/protocols.md", "<!-- the matrix: made by its test -->\n", "<!-- its end -->"
	var b strings.Builder
	b.WriteString("| client \\ upstream |")
	for _, up := range spoken {
		fmt.Fprintf(&b, " %s |", up.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(spoken)) + "\n")
	for _, down := range spoken {
		fmt.Fprintf(&b, "| %s |", down.name)
		for _, up := range spoken {
			native, words := table[down.name+" "+up.name+" native"], table[down.name+" "+up.name+" emulated"]
			fmt.Fprintf(&b, " native: %s; in words: %s |", native, words)
		}
		b.WriteString("\n")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the matrix", page)
	}
	if old == b.String() {
		return
	}
	if !*updateSeen {
		t.Errorf("%s has another matrix (-update rewrites it):\n%s", page, cmp.Diff(old, b.String()))
		return
	}
	if err := os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
