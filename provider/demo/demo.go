// Package demo is a stand-in for small models behind an OpenAI-compatible
// endpoint, over real HTTP. It needs no weights and no network, and it is
// honest: all that it knows of tools it reads from the prompt that it gets, as
// a model would. A broken contract breaks the demo.
//
// What a user may ask, one step a line (other lines are chat):
//
//	do TOOL {"field": "value"}               call a tool; one step a turn, in order
//	do TOOL {…} and TOOL2 {…}                several calls in one turn, where allowed
//	say "text"   or   say <<<text>>>         answer exactly that
//	repeat the result                        answer with the last result, to the letter
//
// Plain wishes ("What is the weather in Paris?") are understood by a few
// rules. For tests, a line of its own makes the model stumble:
//
//	fumble: KIND          its next call is wrong, until it is corrected; see Fumbles
//	fumble: KIND always   and again after the correction
//	finish: length        its answer is cut in the middle
//	pause: N ms           it waits between two pieces of its answer
//	hang up               the connection breaks in the middle of the answer
package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// model is one stand-in and what it does with tools.
type model struct {
	name        string
	refusal     *refusal // what it answers to a request with tools; nil: it takes them
	native      bool     // it knows the tools API
	dropsSystem bool     // its endpoint throws system messages away
	chatsOnly   bool     // told of tools in words, it chats on
}

// refusal is an endpoint's way of saying that it has no tools.
type refusal struct {
	status int
	body   string
}

var models = []model{
	{name: "chat-lite", refusal: &refusal{http.StatusBadRequest, `{"error":{"message":"registry.ollama.ai/library/chat-lite does not support tools","type":"api_error","param":null,"code":null}}`}},
	{name: "wrapper", dropsSystem: true},
	{name: "native", native: true},
	{name: "none", chatsOnly: true, refusal: &refusal{http.StatusNotFound, `{"error":{"message":"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection","code":404}}`}},
}

// Models are the names of the stand-in models.
func Models() []string {
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = m.name
	}
	return names
}

func find(name string) (model, bool) {
	for _, m := range models {
		if m.name == name {
			return m, true
		}
	}
	return model{}, false
}

// Handler serves GET /v1/models and POST /v1/chat/completions.
func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", listModels)
	mux.HandleFunc("POST /v1/chat/completions", complete)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, http.StatusNotFound, "invalid_request_error", "", "There is nothing at "+r.Method+" "+r.URL.Path+". Use /v1/models or /v1/chat/completions.")
	})
	return mux
}

// Start serves the demo on a free loopback port until ctx ends or stop is
// called. The base URL ends in /v1. stop waits for answers under way, for two
// seconds at most.
func Start(ctx context.Context) (baseURL string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("start the demo provider: %w", err)
	}
	s := &http.Server{Handler: Handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	ended := make(chan struct{})
	unhook := context.AfterFunc(ctx, func() { _ = s.Close() })
	stop = func() {
		unhook()
		select {
		case <-ended:
			return
		default:
		}
		end, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if errors.Is(s.Shutdown(end), context.DeadlineExceeded) {
			_ = s.Close()
		}
	}
	go func() {
		<-served
		close(ended)
	}()
	return "http://" + l.Addr().String() + "/v1", stop, nil
}
