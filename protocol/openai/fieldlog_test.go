package openai_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/protocol/openai"
)

// logged is one case of the field log.
type logged struct {
	ID    string
	Kind  int
	Input struct {
		SSE      []string `json:"sse"`
		RawHex   []string `json:"raw_hex"`
		Response json.RawMessage
		Status   int
		Body     string
	}
	Expect struct {
		Outcome string
		Match   string
		Calls   []struct {
			Name      string
			ID        string
			Arguments any
		}
		Content *string
		Never   string `json:"never_contains"`
		Finish  string `json:"finish_reason"`
		Reason  string
	}
}

func fieldlog(t testing.TB) []logged {
	t.Helper()
	var cs []logged
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c logged
		if err := json.Unmarshal(line, &c); err != nil {
			continue // inputs of other kinds have other shapes
		}
		cs = append(cs, c)
	}
	return cs
}

// inWords are cases whose calls stand in text: another package reads them.
var inWords = map[string]bool{"F079": true, "F080": true}

func TestFieldLogStreams(t *testing.T) {
	ran := 0
	for _, c := range fieldlog(t) {
		body, contentType := []byte(nil), "text/event-stream"
		switch {
		case inWords[c.ID]:
			continue
		case c.Input.SSE != nil:
			body = events(c.Input.SSE...)
		case c.Input.Response != nil:
			body, contentType = c.Input.Response, "application/json"
		case c.Input.RawHex != nil:
			for _, h := range c.Input.RawHex {
				b, err := hex.DecodeString(h)
				if err != nil {
					t.Fatal(err)
				}
				body = append(body, b...)
			}
		default:
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			h := hear(t, bytes.NewReader(body), contentType)
			checkLogged(t, c, h)
			oneByOne := make(pieces, len(body))
			for i := range body {
				oneByOne[i] = body[i : i+1]
			}
			again := hear(t, &oneByOne, contentType)
			if d := cmp.Diff(h, again, ignoreFrames); d != "" {
				t.Errorf("byte by byte it reads otherwise: %s", d)
			}
		})
	}
	if ran < 15 {
		t.Errorf("only %d cases ran", ran)
	}
}

func checkLogged(t *testing.T, c logged, h heard) {
	switch c.Expect.Outcome {
	case "calls":
		if len(h.Calls) != len(c.Expect.Calls) || h.Finish.Cut() {
			t.Fatalf("calls %+v, finish %q", h.Calls, h.Finish)
		}
		for i, want := range c.Expect.Calls {
			got := h.Calls[i]
			if got.Name != want.Name || want.ID != "" && got.ID != want.ID {
				t.Errorf("call %d is %q %q, want %q %q", i, got.ID, got.Name, want.ID, want.Name)
			}
			if d := cmp.Diff(want.Arguments, value(t, got.Args)); d != "" {
				t.Errorf("arguments of call %d: %s", i, d)
			}
		}
	case "incomplete":
		if want := chat.Finish(c.Expect.Reason); h.Finish != want || !h.Finish.Cut() {
			t.Errorf("finish %q, want %q", h.Finish, want)
		}
	case "upstream_error":
		if len(h.Faults) != 1 || !h.Faults[0].Retryable || len(h.Calls) > 0 {
			t.Errorf("faults %+v, calls %+v", h.Faults, h.Calls)
		}
	}
	if want := c.Expect.Content; want != nil && strings.TrimSpace(h.Text) != *want {
		t.Errorf("content %q, want %q", h.Text, *want)
	}
	if c.Expect.Never != "" && strings.Contains(h.Text, c.Expect.Never) {
		t.Errorf("content %q", h.Text)
	}
}

func TestFieldLogFaults(t *testing.T) {
	ran := 0
	for _, c := range fieldlog(t) {
		if c.Input.Body == "" || c.Input.Status == 0 {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			body := []byte(c.Input.Body)
			var f *chat.Fault
			if c.Input.Status == 200 {
				s := openai.Client{}.Decode(bytes.NewReader(body), "application/json")
				frame, err := s.Next()
				if err != nil || frame.Events[0].Kind != chat.EventFault {
					t.Fatalf("frame %+v, error %v", frame, err)
				}
				f = frame.Events[0].Fault
			} else {
				f = openai.Client{}.DecodeFault(c.Input.Status, chat.Wire{Body: body})
			}
			if !strings.Contains(f.Text+" "+f.Code, c.Expect.Match) || f.Text == "" {
				t.Errorf("code %q, text %q don't hold %q", f.Code, f.Text, c.Expect.Match)
			}
			status, out := openai.Server{}.EncodeFault(f)
			if !bytes.Equal(out, body) || status < 400 || c.Input.Status != 200 && status != c.Input.Status {
				t.Errorf("it goes out as %d %s", status, out)
			}
		})
	}
	if ran < 15 {
		t.Errorf("only %d cases ran", ran)
	}
}
