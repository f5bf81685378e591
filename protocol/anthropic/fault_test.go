package anthropic_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/anthropic"
)

func TestDecodeFault(t *testing.T) {
	says := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
	}
	for _, c := range []struct {
		name, body string
		status     int
		header     map[string][]string
		code, text string
		param      string
		retryable  bool
		after      time.Duration
	}{
		{name: "the API's own", body: says("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"), status: 400, code: "invalid_request_error", text: "prompt is too long: 215000 tokens > 200000 maximum"},
		{name: "it names the place", body: says("invalid_request_error", "messages.1.content.0: unexpected `tool_use_id`"), status: 400, code: "invalid_request_error", text: "messages.1.content.0: unexpected `tool_use_id`", param: "messages.1.content.0"},
		{name: "a tool's place", body: says("invalid_request_error", "tools.0.custom.input_schema.type: Field required"), status: 400, code: "invalid_request_error", text: "tools.0.custom.input_schema.type: Field required", param: "tools.0.custom.input_schema.type"},
		{name: "no place at all", body: says("api_error", "oops: it broke"), status: 500, code: "api_error", text: "oops: it broke", retryable: true},
		{name: "overloaded", body: says("overloaded_error", "Overloaded"), status: 529, code: "overloaded_error", text: "Overloaded", retryable: true},
		{name: "a key", body: says("authentication_error", "invalid x-api-key"), status: 401, code: "authentication_error", text: "invalid x-api-key"},
		{name: "too large", body: says("request_too_large", "Request exceeds the maximum size"), status: 413, code: "request_too_large", text: "Request exceeds the maximum size"},
		{name: "the rate", body: says("rate_limit_error", "slow down"), status: 429, header: map[string][]string{"retry-after": {"38"}}, code: "rate_limit_error", text: "slow down", retryable: true, after: 38 * time.Second},
		{name: "milliseconds", body: says("rate_limit_error", "slow down"), status: 429, header: map[string][]string{"Retry-After-Ms": {"1500"}}, code: "rate_limit_error", text: "slow down", retryable: true, after: 1500 * time.Millisecond},
		{name: "a date", body: says("overloaded_error", "Overloaded"), status: 529, header: map[string][]string{"Retry-After": {"Mon, 30 Nov 2026 00:00:09 GMT"}, "Date": {"Mon, 30 Nov 2026 00:00:00 GMT"}}, code: "overloaded_error", text: "Overloaded", retryable: true, after: 9 * time.Second},
		{name: "not worth another try", body: says("rate_limit_error", "over your limit for the month"), status: 429, header: map[string][]string{"X-Should-Retry": {"false"}}, code: "rate_limit_error", text: "over your limit for the month"},
		{name: "worth one all the same", body: says("invalid_request_error", "try again"), status: 400, header: map[string][]string{"X-Should-Retry": {"true"}}, code: "invalid_request_error", text: "try again", retryable: true},

		{name: "OpenAI's shape", body: `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"bad"}}`, status: 400, code: "invalid_request_error", text: "no"},
		{name: "a code alone", body: `{"error":{"message":"no","code":"bad"}}`, status: 400, code: "bad", text: "no"},
		{name: "a text for an error", body: `{"error":"model not found"}`, status: 404, code: "upstream_error", text: "model not found"},
		{name: "a detail", body: `{"detail":"Not Found"}`, status: 404, code: "upstream_error", text: "Not Found"},
		{name: "details", body: `{"detail":[{"loc":["body","max_tokens"],"msg":"field required"}]}`, status: 422, code: "upstream_error", text: `{"detail":[{"loc":["body","max_tokens"],"msg":"field required"}]}`},
		{name: "flat", body: `{"type":"overloaded_error","message":"busy"}`, status: 503, code: "overloaded_error", text: "busy", retryable: true},
		{name: "no message", body: `{"type":"error","error":{}}`, status: 400, code: "upstream_error", text: `{"type":"error","error":{}}`},
		{name: "a text", body: "upstream connect error", status: 502, code: "upstream_error", text: "upstream connect error", retryable: true},
		{name: "a JSON text", body: `"no"`, status: 400, code: "upstream_error", text: "no"},
		{name: "a list", body: `[]`, status: 400, code: "upstream_error", text: "[]"},
		{name: "a page", body: "<html><title>Overloaded</title></html>", status: 529, code: "upstream_error", text: `The upstream answered 529 with a page of HTML titled "Overloaded".`, retryable: true},
		{name: "nothing", status: 500, code: "upstream_error", text: "The upstream answered 500 Internal Server Error with an empty body.", retryable: true},
	} {
		f := anthropic.Client{}.DecodeFault(c.status, chat.Wire{Header: c.header, Body: []byte(c.body)})
		want := &chat.Fault{
			Code: c.code, Text: c.text, Param: c.param, Status: c.status, Retryable: c.retryable, RetryAfter: c.after,
			Wire: &chat.Wire{Protocol: anthropic.Name, Header: c.header, Body: []byte(c.body)},
		}
		if d := cmp.Diff(want, f); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
	now := func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }
	f := anthropic.Client{Now: now}.DecodeFault(503, chat.Wire{Header: http.Header{"Retry-After": {"Mon, 30 Nov 2026 00:00:05 GMT"}}})
	if f.RetryAfter != 5*time.Second {
		t.Errorf("%v", f.RetryAfter)
	}
}
