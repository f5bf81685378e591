package gemini_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/gemini"
)

func TestDecodeFault(t *testing.T) {
	const object = `{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"$schema\" at 'tools[0].function_declarations[0].parameters': Cannot find field.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"tools[0].function_declarations[0].parameters","description":"x"}]}]}}`
	unknown := `Invalid JSON payload received. Unknown name "$schema" at 'tools[0].function_declarations[0].parameters': Cannot find field.`
	for _, c := range []struct {
		name, body  string
		status      int
		header      map[string][]string
		code, text  string
		param       string
		retryable   bool
		after       time.Duration
		keepsHeader bool
	}{
		{name: "an object", body: object, status: 400, code: "INVALID_ARGUMENT", text: unknown, param: "tools[0].function_declarations[0].parameters"},
		{name: "in a list", body: "[" + object + "\n]", status: 400, code: "INVALID_ARGUMENT", text: unknown, param: "tools[0].function_declarations[0].parameters"},
		{
			name:   "the quota, with a delay",
			body:   `{"error":{"code":429,"message":"You exceeded your current quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}]}}`,
			status: 429, code: "RESOURCE_EXHAUSTED", text: "You exceeded your current quota.", retryable: true, after: 34074824224 * time.Nanosecond,
		},
		{
			name:   "a bad key",
			body:   `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}`,
			status: 400, code: "API_KEY_INVALID", text: "API key not valid.",
		},
		{name: "a header's delay", body: `{"error":{"message":"busy"}}`, status: 503, header: map[string][]string{"retry-after": {"7"}}, code: "upstream_error", text: "busy", retryable: true, after: 7 * time.Second},
		{name: "a header's date", body: `{"error":{"message":"busy"}}`, status: 503, header: map[string][]string{"Retry-After": {"Mon, 30 Nov 2026 00:00:09 GMT"}, "Date": {"Mon, 30 Nov 2026 00:00:00 GMT"}}, code: "upstream_error", text: "busy", retryable: true, after: 9 * time.Second},
		{name: "another kind of code", body: `{"error":{"message":"no","code":"bad"}}`, status: 400, code: "bad", text: "no"},
		{name: "a text", body: "upstream connect error", status: 502, code: "upstream_error", text: "upstream connect error", retryable: true},
		{name: "a text for an error", body: `{"error":"nope"}`, status: 400, code: "upstream_error", text: "nope"},
		{name: "flat", body: `{"message":"nope","status":"NOT_FOUND"}`, status: 404, code: "NOT_FOUND", text: "nope"},
		{name: "no message", body: `{"error":{"code":400}}`, status: 400, code: "upstream_error", text: `{"error":{"code":400}}`},
		{name: "a number", body: `7`, status: 400, code: "upstream_error", text: "7"},
		{name: "an empty list", body: `[]`, status: 400, code: "upstream_error", text: "[]"},
		{name: "a page", body: "<html>", status: 502, code: "upstream_error", text: "The upstream answered 502 Bad Gateway with a page of HTML.", retryable: true},
		{name: "nothing", status: 500, code: "upstream_error", text: "The upstream answered 500 Internal Server Error with an empty body.", retryable: true},
	} {
		f := gemini.Client{}.DecodeFault(c.status, chat.Wire{Header: c.header, Body: []byte(c.body)})
		want := &chat.Fault{
			Code: c.code, Text: c.text, Param: c.param, Status: c.status, Retryable: c.retryable, RetryAfter: c.after,
			Wire: &chat.Wire{Protocol: gemini.Name, Header: c.header, Body: []byte(c.body)},
		}
		if d := cmp.Diff(want, f); d != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, d)
		}
	}
	now := func() time.Time { return time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }
	f := gemini.Client{Now: now}.DecodeFault(503, chat.Wire{Header: http.Header{"Retry-After": {"Mon, 30 Nov 2026 00:00:05 GMT"}}})
	if f.RetryAfter != 5*time.Second {
		t.Errorf("%v", f.RetryAfter)
	}
}
