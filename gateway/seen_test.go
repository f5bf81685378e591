package gateway_test

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

var updateSeen = flag.Bool("update", false, "rewrite what clients see of testdata/seen")

// TestSeen replays answers of real servers. Each file of testdata/seen holds
// how tools are carried (native, or a syntax for words), a client's request, the
// bytes of the server's answer, and what the client gets of them, however the
// server's writes were cut.
func TestSeen(t *testing.T) {
	files, err := filepath.Glob("testdata/seen/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { replaySeen(t, file) })
	}
}

func replaySeen(t *testing.T, file string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	part := map[string]*txtar.File{}
	for i := range a.Files {
		part[a.Files[i].Name] = &a.Files[i]
	}
	u := &replay{status: http.StatusOK, body: part["answer"].Data, header: http.Header{"Content-Type": {"text/event-stream"}}}
	back := httptest.NewServer(u)
	defer back.Close()
	url := carrying(t, back.URL, strings.TrimSpace(string(part["carrier"].Data)))
	ask := string(part["request"].Data)
	if *updateSeen {
		part["want"].Data = []byte(told(u.body, listen(t, url, ask)))
		if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pieces := []int{0, 1, 2, 3, 7, 64, 1000}
	for n := 97; n < len(u.body); n += len(u.body)/40 + 1 {
		pieces = append(pieces, n) // one cut, and what is left in such pieces
	}
	for _, n := range pieces {
		u.piece = n
		if d := cmp.Diff(string(part["want"].Data), told(u.body, listen(t, url, ask))); d != "" {
			t.Fatalf("pieces of %d:\n%s", n, d)
		}
	}
}

// carrying puts a gateway in front of an endpoint that carries tools natively, or
// in words in a syntax.
func carrying(t *testing.T, url, carrier string) string {
	t.Helper()
	if carrier == "native" {
		return before(t, url)
	}
	up, err := provider.New(provider.Config{Name: "p", URL: url + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	p := profile.Profile{Tools: profile.Emulated, Syntax: carrier, Constrain: profile.ConstrainNever}
	s := httptest.NewServer(server(t, gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up, Profile: p}},
		Runner:    &turn.Runner{Key: []byte("a key for tests")},
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// told says what a client gets, and whether its bytes are the server's.
func told(answer []byte, h heard) string {
	var b strings.Builder
	if h.body == string(answer) {
		b.WriteString("the server's bytes\n")
	}
	fmt.Fprintf(&b, "text %q\n", h.Text)
	for _, c := range h.Calls {
		fmt.Fprintf(&b, "call %s %q\n", c.Name, c.Args)
	}
	fmt.Fprintf(&b, "finish %q\nerror %q\nusage %d\n", h.Finish, h.Code, h.Usage)
	return b.String()
}
