//go:build live

package live_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ferrule/ferrule/conformance/live"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
	"github.com/ferrule/ferrule/words"
)

// What is asked, by environment variables. A row is a syntax; + behind it holds
// the answer to the form of a call by the server's constrained decoding.
var (
	server   = os.Getenv("FERRULE_LIVE")                            // like http://127.0.0.1:8080
	natively = cmp.Or(os.Getenv("FERRULE_LIVE_NATIVE"), server)     // the server whose own tool calling is tried
	model    = cmp.Or(os.Getenv("FERRULE_LIVE_MODEL"), "m")         // a name that the server takes
	kind     = cmp.Or(os.Getenv("FERRULE_LIVE_SERVER"), "llamacpp") // what kind of server it is
	rows     = cmp.Or(os.Getenv("FERRULE_LIVE_ROWS"), "ferrule hermes json pythonic qwen-coder llama json+ envelope+")
	stops    = os.Getenv("FERRULE_LIVE_STOP")                            // a stop sequence, for a model that runs on
	first, _ = strconv.Atoi(os.Getenv("FERRULE_LIVE_TASKS"))             // only so many tasks
	choice   = cmp.Or(os.Getenv("FERRULE_LIVE_CHOICE"), `"required"`)    // tool_choice, as JSON
	limit, _ = strconv.Atoi(cmp.Or(os.Getenv("FERRULE_LIVE_MAX"), "96")) // max_tokens
)

// TestLiveSyntaxes prints the table of docs/syntaxes.md. It fails only where the
// gateway or the server does; what the model gets wrong is the figure.
func TestLiveSyntaxes(t *testing.T) {
	if server == "" {
		t.Skip("no server is named: FERRULE_LIVE=http://127.0.0.1:8080 would")
	}
	ts, tools := tasks(t)
	if first > 0 {
		ts = ts[:min(first, len(ts))]
	}
	done := []live.Row{
		ask(t, "its own tool calling", natively, ts, tools, nil),
	}
	for _, name := range strings.Fields(rows) {
		syntax, constrained := strings.CutSuffix(name, "+")
		if !slices.Contains(words.Names(), syntax) {
			t.Logf("no syntax %s can be asked for; there are %v", syntax, words.Names())
			continue
		}
		p := profile.Profile{Tools: profile.Emulated, Syntax: syntax, Server: kind, Constrain: profile.ConstrainNever}
		label := "`" + syntax + "`"
		if constrained {
			p.Constrain = profile.ConstrainForced
			label += ", constrained"
		}
		seen := &counter{next: http.DefaultTransport}
		done = append(done, ask(t, label, through(t, p, seen), ts, tools, seen))
		t.Logf("so far\n%s", live.Table(done))
	}
	fmt.Printf("\n%s: %s, %d tasks, tool_choice %s\n\n%s\n", time.Now().Format(time.DateOnly), model, len(ts), choice, live.Table(done))
}

// through puts a gateway in front of the server. Its randomness is fixed, so
// that a run can be repeated.
func through(t *testing.T, p profile.Profile, seen http.RoundTripper) string {
	t.Helper()
	up, err := provider.New(provider.Config{Name: "live", URL: server + "/v1", Protocol: openai.Name, Client: openai.Client{}, Transport: seen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "live", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Facts: &turn.LocalFacts{}, Key: []byte("a key for this run"), Rand: rand.NewChaCha8([32]byte{7})},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(g)
	t.Cleanup(s.Close)
	return s.URL
}

// ask puts every task to the one behind url. seen counts the requests that
// reach the server; nil: one a task.
func ask(t *testing.T, name, url string, ts []live.Task, tools map[string]json.RawMessage, seen *counter) live.Row {
	t.Helper()
	row := live.Row{Name: name}
	begun := time.Now()
	for _, task := range ts {
		before := seen.count()
		calls, said, code := post(t, url, task, tools[task.Group])
		requests := 1
		if seen != nil {
			requests = seen.count() - before
		}
		v := task.Judge(calls)
		row.Count(v, len(calls), requests)
		if code != "" {
			row.Fail(code)
		}
		t.Logf("%s %s: %s, %d requests %v %q %s", name, task.ID, v, requests, calls, said, code)
		if seen != nil && testing.Verbose() {
			t.Logf("  the last answer: %s", seen.last)
		}
	}
	row.Took = time.Since(begun)
	return row
}

// post sends a task as any client would, and returns what came: calls, words,
// the code of an error.
func post(t *testing.T, url string, task live.Task, tools json.RawMessage) (calls []live.Call, said, code string) {
	t.Helper()
	q := map[string]any{
		"model": model, "temperature": 0, "seed": 7, "max_tokens": limit, "tools": tools, "tool_choice": json.RawMessage(choice),
		"messages": []map[string]string{{"role": "user", "content": task.Ask}},
	}
	if len(task.Want) == 1 {
		q["parallel_tool_calls"] = false
	}
	if stops != "" {
		q["stop"] = []string{stops}
	}
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(url+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%s: %v", task.ID, err)
	}
	defer r.Body.Close()
	var a struct {
		Choices []struct {
			Message struct {
				Content   string
				ToolCalls []struct{ Function live.Call } `json:"tool_calls"`
			}
		}
		Error struct {
			Code    any
			Message string
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		t.Fatalf("%s: an answer with status %d: %v", task.ID, r.StatusCode, err)
	}
	if len(a.Choices) == 0 {
		return nil, a.Error.Message, fmt.Sprint(a.Error.Code)
	}
	for _, c := range a.Choices[0].Message.ToolCalls {
		calls = append(calls, c.Function)
	}
	return calls, a.Choices[0].Message.Content, ""
}

// counter counts the requests that reach the server, and keeps the last answer.
type counter struct {
	next http.RoundTripper
	n    int
	last []byte
}

func (c *counter) count() int {
	if c == nil {
		return 0
	}
	return c.n
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		c.n++
	}
	a, err := c.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodPost {
		return a, err
	}
	c.last, err = io.ReadAll(a.Body)
	_ = a.Body.Close()
	a.Body = io.NopCloser(bytes.NewReader(c.last))
	return a, err
}
