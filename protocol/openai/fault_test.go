package openai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/openai"
)

func TestDecodeFault(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   chat.Fault
	}{
		"own":         {400, `{"error":{"message":"m","type":"invalid_request_error","param":"tools","code":"c"}}`, chat.Fault{Code: "c", Text: "m", Param: "tools"}},
		"number code": {404, `{"error":{"message":"m","code":404}}`, chat.Fault{Code: "404", Text: "m"}},
		"flat":        {400, `{"message":"m","code":20037}`, chat.Fault{Code: "20037", Text: "m"}},
		"text":        {404, `{"error":"m"}`, chat.Fault{Code: "upstream_error", Text: "m"}},
		"problem":     {404, `{"title":"Not Found","detail":"d","status":404}`, chat.Fault{Code: "upstream_error", Text: "d"}},
		"details":     {422, `{"detail":[{"msg":"bad"}]}`, chat.Fault{Code: "upstream_error", Text: `[{"msg":"bad"}]`}},
		"list":        {400, `[{"error":{"message":"m","status":"INVALID"}}]`, chat.Fault{Code: "upstream_error", Text: "m"}},
		"unknown":     {400, `{"x":1}`, chat.Fault{Code: "upstream_error", Text: `{"x":1}`}},
		"plain":       {500, " broken \n", chat.Fault{Code: "upstream_error", Text: "broken", Retryable: true}},
		"page":        {502, "<html><title>Bad gateway</title>", chat.Fault{Code: "upstream_error", Text: `The upstream answered 502 Bad Gateway with a page of HTML titled "Bad gateway".`, Retryable: true}},
		"empty":       {429, "", chat.Fault{Code: "upstream_error", Text: "The upstream answered 429 Too Many Requests with an empty body.", Retryable: true}},
	} {
		t.Run(name, func(t *testing.T) {
			h := map[string][]string{"X-Request-Id": {"r"}}
			got := openai.Client{}.DecodeFault(c.status, chat.Wire{Header: h, Body: []byte(c.body)})
			c.want.Status = c.status
			c.want.Wire = &chat.Wire{Protocol: "openai", Header: h, Body: []byte(c.body)}
			if d := cmp.Diff(&c.want, got); d != "" {
				t.Error(d)
			}
			status, body := openai.Server{}.EncodeFault(got)
			if status != c.status || c.body != "" && string(body) != c.body {
				t.Errorf("it goes out as %d %s", status, body)
			}
		})
	}
	f := openai.Client{}.DecodeFault(500, chat.Wire{Body: []byte(strings.Repeat("é", 5000))})
	if len(f.Text) > 4<<10 || !strings.HasSuffix(f.Text, "é…") {
		t.Errorf("%d bytes of text", len(f.Text))
	}
}

func TestRetryAfter(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := openai.Client{Now: func() time.Time { return at }}
	for name, tt := range map[string]struct {
		header map[string][]string
		want   time.Duration
	}{
		"seconds":   {map[string][]string{"Retry-After": {"3"}}, 3 * time.Second},
		"ms first":  {map[string][]string{"retry-after-ms": {"250"}, "Retry-After": {"3"}}, 250 * time.Millisecond},
		"date":      {map[string][]string{"Retry-After": {"Mon, 30 Nov 2026 12:00:07 GMT"}}, 7 * time.Second},
		"own clock": {map[string][]string{"Retry-After": {"Mon, 30 Nov 2026 13:00:07 GMT"}, "Date": {"Mon, 30 Nov 2026 13:00:00 GMT"}}, 7 * time.Second},
		"past":      {map[string][]string{"Retry-After": {"Mon, 30 Nov 2026 11:00:00 GMT"}}, 0},
		"nonsense":  {map[string][]string{"Retry-After": {"soon"}}, 0},
		"huge":      {map[string][]string{"Retry-After": {"1e300"}}, 0},
		"none":      {nil, 0},
	} {
		if got := c.DecodeFault(429, chat.Wire{Header: tt.header}).RetryAfter; got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestEncodeFault(t *testing.T) {
	for status, kind := range map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
		422: "invalid_request_error", 429: "rate_limit_error", 500: "server_error", 502: "server_error",
	} {
		f := &chat.Fault{Code: "c", Text: `say "x"`, Status: status, Wire: &chat.Wire{Protocol: "other", Body: []byte("{}")}}
		got, body := openai.Server{}.EncodeFault(f)
		want := `{"error":{"message":"say \"x\"","type":"` + kind + `","param":null,"code":"c"}}`
		if got != status || string(body) != want {
			t.Errorf("%d %s", got, body)
		}
	}
	for _, f := range []*chat.Fault{nil, {}, {Status: 200}} {
		if status, _ := (openai.Server{}).EncodeFault(f); status != 500 {
			t.Errorf("%+v: status %d", f, status)
		}
	}
}
