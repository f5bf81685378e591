package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/config"
)

// TestLearnedOutlivesTheGateway: what one gateway was refused, the next one
// knows; ferrule learned shows it, and --clear makes it unknown again.
func TestLearnedOutlivesTheGateway(t *testing.T) {
	asked := 0
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m"}]}`)
			return
		}
		asked++
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(body, []byte(`"tools"`)) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":"m does not support tools"}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(back.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "ferrule.yaml")
	yaml := fmt.Sprintf("store: %s\nfence_key: %s\nproviders:\n  p: { protocol: openai, url: %s/v1 }\n", filepath.Join(dir, "facts.db"), strings.Repeat("k", 64), back.URL)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	p := &program{ctx: t.Context(), stdout: &out, stderr: &errs, lookup: func(string) (string, bool) { return "", false }}
	learned := func(args ...string) string {
		t.Helper()
		out.Reset()
		if code := p.run(append([]string{"learned", "--config", file}, args...)); code != exitGood {
			t.Fatalf("%d: %s", code, errs.String())
		}
		return out.String()
	}
	// requests is how many reach the upstream for one of a client's, by a gateway
	// that was only just started.
	requests := func() int {
		t.Helper()
		cfg, err := sources{Config: file}.read(p)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.assemble(cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer a.stop()
		before := asked
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/v1/chat/completions", strings.NewReader(
			`{"model":"p/m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.server.ServeHTTP(w, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return asked - before
	}
	if got := learned(); !strings.Contains(got, "Nothing has been learned") {
		t.Errorf("before: %s", got)
	}
	if first, second := requests(), requests(); first != 2 || second != 1 {
		t.Errorf("%d requests, and %d after a restart", first, second)
	}
	if got := learned(); !strings.Contains(got, "p/m") || !strings.Contains(got, "tools_unsupported") || !strings.Contains(got, "everybody") {
		t.Errorf("%s", got)
	}
	var list []learnedLine
	if err := json.Unmarshal([]byte(learned("--json")), &list); err != nil || len(list) != 1 || list[0].Value != "emulated" || list[0].Until.IsZero() {
		t.Errorf("%v %+v", err, list)
	}
	if got := learned("--clear", "p/m"); !strings.HasPrefix(got, "1 forgotten") {
		t.Errorf("%s", got)
	}
	if again := requests(); again != 2 {
		t.Errorf("%d requests after it was forgotten", again)
	}
	if got := learned("--counts"); !strings.Contains(got, "No model has called") {
		t.Errorf("%s", got)
	}
	s, _, err := p.storeOf(&config.Config{Store: filepath.Join(dir, "facts.db"), Providers: []config.Provider{{Name: "p", URL: back.URL + "/v1"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Count("p", "m", "clean", 3)
	s.Count("p", "m", "failed", 1)
	_ = s.Close()
	if got := strings.Fields(learned("--counts")); len(got) != 16 || got[8] != "p/m" || got[9] != "4" || got[10] != "3" || got[13] != "1" {
		t.Errorf("%q", got)
	}
	var counts []countsLine
	if err := json.Unmarshal([]byte(learned("--counts", "--json")), &counts); err != nil || len(counts) != 1 || counts[0].Calls["clean"] != 3 {
		t.Errorf("%v %+v", err, counts)
	}
	if code := p.run([]string{"learned", "--clear", "m", "--json"}); code != exitUsage {
		t.Errorf("--clear with --json ends with %d", code)
	}
}
