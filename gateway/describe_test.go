package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
)

// askPicture is a conversation in which a tool gave back a picture.
const askPicture = `{"model":"blind/m","messages":[{"role":"user","content":"What does it show?"},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"the screen"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}],
"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`

// saw is a model that says one thing and keeps what it was sent.
type saw struct {
	says string
	got  []string
}

func (s *saw) send(_ context.Context, q *chat.Request) (reply, error) {
	_, body, err := openai.Client{}.EncodeRequest(q)
	if err != nil {
		return reply{}, err
	}
	s.got = append(s.got, string(body))
	words, _ := json.Marshal(s.says)
	text := strings.Replace(helloJSON, `"hello"`, string(words), 1)
	if q.Stream {
		text = strings.Replace(helloSSE, `"hel"`, string(words), 1)
		return reply{strings.NewReader(text), "text/event-stream", nil}, nil
	}
	return reply{strings.NewReader(text), "application/json", nil}, nil
}

// TestDescribedPicture: a model that doesn't see gets in words what another one
// tells of a picture, and the same on a later turn.
func TestDescribedPicture(t *testing.T) {
	eyes, m := &saw{says: "A dialogue: Disk full."}, &saw{says: "Hm."}
	o := options()
	o.Providers = []gateway.Provider{
		{Name: "local", Upstream: upstream(eyes.send)},
		{Name: "blind", Upstream: upstream(m.send), Profile: profile.Profile{Tools: profile.Emulated, Syntax: "hermes", Describe: "local/eyes"}},
	}
	s := server(t, o)
	for range 2 {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, post("/v1/chat/completions", askPicture))
		if b, _ := io.ReadAll(w.Body); w.Code != 200 {
			t.Fatalf("%d %s", w.Code, b)
		}
	}
	if len(eyes.got) != 1 || !strings.Contains(eyes.got[0], `"data:image/png;base64,AAAA"`) || !strings.Contains(eyes.got[0], `"eyes"`) || strings.Contains(eyes.got[0], "What does it show?") {
		t.Errorf("asked %q", eyes.got)
	}
	asks, err := os.ReadFile("describe.md")
	if err != nil {
		t.Fatal(err)
	}
	if quoted, _ := json.Marshal(strings.TrimSpace(string(asks))); len(eyes.got) > 0 && !strings.Contains(eyes.got[0], string(quoted)) {
		t.Errorf("asked %s", eyes.got[0])
	}
	if len(m.got) != 2 || m.got[0] != m.got[1] || !strings.Contains(m.got[0], "A dialogue: Disk full.") || strings.Contains(m.got[0], "base64") {
		t.Errorf("the model got %q", m.got)
	}
}

func TestDescriberThatIsntThere(t *testing.T) {
	o := options()
	o.Providers[0].Profile.Describe = "nobody/eyes"
	if _, err := gateway.New(o); err == nil || !strings.Contains(err.Error(), "nobody/eyes") {
		t.Errorf("%v", err)
	}
	o.Providers[0].Profile.Describe = "p/m"
	if _, err := gateway.New(o); err != nil {
		t.Error(err)
	}
}
