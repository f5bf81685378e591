package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ferrule": main})
}

// TestScripts runs the program as its users do. Each script has a home of its
// own and none of the machine's keys.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			upstream, err := startUpstream()
			if err != nil {
				return err
			}
			e.Defer(upstream.stop)
			e.Setenv("FERRULE_HOME", e.WorkDir+"/home")
			e.Setenv("UPSTREAM", "http://"+upstream.addr+"/v1")
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			e.Setenv("ADDR", l.Addr().String()) // free a moment ago
			return l.Close()
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"waitup":  waitUp,
			"request": request,
		},
	})
}

// upstream is an endpoint with one model whose name tries to act on the terminal.
type upstream struct {
	addr string
	stop func()
}

func startUpstream() (*upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"tiny","max_model_len":2048},{"id":"e\u001b[31mvil\u202e"}]}`))
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") == "Bearer up-secret" {
			_, _ = w.Write([]byte(`{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"key seen"},"finish_reason":"stop"}]}`))
			return
		}
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "in another spelling") {
			_, _ = w.Write([]byte(`{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"<tool_call>\n{\"name\":\"GET_WEATHER\",\"arguments\":{\"city\":\"Oslo\"}}\n</tool_call>"},"finish_reason":"stop"}]}`))
			return
		}
		_, _ = w.Write([]byte(`{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"no key"},"finish_reason":"stop"}]}`))
	})
	s := &http.Server{Handler: mux}
	go func() { _ = s.Serve(l) }()
	return &upstream{addr: l.Addr().String(), stop: func() { _ = s.Close() }}, nil
}

// waitUp waits until the gateway at $ADDR answers.
func waitUp(ts *testscript.TestScript, _ bool, _ []string) {
	for range 1000 {
		resp, err := http.Get("http://" + ts.Getenv("ADDR") + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("nothing answers at %s", ts.Getenv("ADDR"))
}

// request puts status and body of an answer into the file answer:
// request METHOD PATH [BODY [KEY]]
func request(ts *testscript.TestScript, _ bool, args []string) {
	args = append(args, "", "")
	r, err := http.NewRequest(args[0], "http://"+ts.Getenv("ADDR")+args[1], strings.NewReader(args[2]))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	if args[3] != "" {
		r.Header.Set("Authorization", "Bearer "+args[3])
	}
	resp, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), fmt.Appendf(nil, "status %d\n%s\n", resp.StatusCode, body), 0o600))
}
