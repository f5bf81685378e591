package gateway_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

type counting map[string]int

func (c counting) Count(provider, model, how string, calls int) {
	c[provider+"/"+model+" "+how] += calls
}

// TestCountsOfCalls: how each call ended is counted for its model; an answer of
// words isn't.
func TestCountsOfCalls(t *testing.T) {
	answer := onCall
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(back.Close)
	up, err := provider.New(provider.Config{Name: "p", URL: back.URL + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	counts := counting{}
	g, err := gateway.New(gateway.Options{
		Providers: []gateway.Provider{{Name: "p", Upstream: up}},
		Runner:    new(turn.Runner), Counts: counts,
	})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(g)
	t.Cleanup(front.Close)
	const ask = `{"model":"p/m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"check","parameters":{"type":"object"}}}]}`
	listen(t, front.URL, ask)
	listen(t, front.URL, ask)
	answer = helloJSON
	listen(t, front.URL, ask)
	if want := (counting{"p/m clean": 2}); !maps.Equal(counts, want) {
		t.Errorf("%v, want %v", counts, want)
	}
}
