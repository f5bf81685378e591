package refusal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/refusal"
)

const hermesCall = `<tool_call>{"name": "a", "arguments": {}}</tool_call>`

// inJSON puts texts into bodies, quoted.
func inJSON(format string, texts ...string) string {
	for _, s := range texts {
		b, _ := json.Marshal(s)
		format = strings.Replace(format, "%q", string(b), 1)
	}
	return format
}

func TestGenerated(t *testing.T) {
	rejected := inJSON(`{"error":{"message":"Failed to call a function.","code":"tool_use_failed","failed_generation":%q}}`, hermesCall)
	for _, c := range []struct {
		name, body string
		want       string // "": none
		extent     refusal.Extent
	}{
		{"a member of the error", rejected, hermesCall, refusal.Whole},
		{"by way of a gateway, JSON in JSON", inJSON(`{"error":{"message":"Provider returned error","metadata":{"raw":%q}}}`, rejected), hermesCall, refusal.Whole},
		{"by way of a gateway, behind words", inJSON(`{"error":{"message":%q}}`, "BadRequestError: SomeException - "+rejected), hermesCall, refusal.Whole},
		{"not JSON", "upstream said " + rejected, hermesCall, refusal.Whole},
		{"empty", `{"error":{"code":"tool_use_failed","failed_generation":""}}`, "", 0},
		{"no text", `{"error":{"failed_generation":{"name":"a"}}}`, "", 0},
		{"cut JSON", rejected[:len(rejected)-20], "", 0},

		{"from the start", inJSON(`{"error":{"code":500,"message":%q}}`, "Failed to parse input at pos 0: "+hermesCall), hermesCall, refusal.Whole},
		{"from a place on", inJSON(`{"error":{"code":500,"message":%q}}`, "Failed to parse input at pos 184: "+hermesCall), hermesCall, refusal.Rest},
		{"a place and nothing", `{"error":{"message":"Failed to parse input at pos 288"}}`, "", 0},
		{"no place", `{"error":{"message":"Failed to parse input at pos x: y"}}`, "", 0},

		{"arguments", inJSON(`{"error":%q}`, `error parsing tool call: raw='{"a": 'b', err=', err=invalid character 'b'`), `{"a": 'b', err=`, refusal.Arguments},
		{"arguments without an end", `{"error":"error parsing tool call: raw='{}'"}`, "", 0},

		{"Gemini's, as it prints a call", `{"candidates":[{"finishMessage":"Malformed function call: print(default_api.a(b='c)'))"}]}`, "a(b='c)')", refusal.Whole},
		{"that, cut", `{"candidates":[{"finishMessage":"Malformed function call: print(default_api.a(b='c"}]}`, "print(default_api.a(b='c", refusal.Whole},
		{"Gemini's, plain", `{"candidates":[{"finishMessage":"Malformed function call: a(b='c')"}]}`, "a(b='c')", refusal.Whole},
		{"Gemini's, and nothing", `{"candidates":[{"finishMessage":"Malformed function call"}]}`, "", 0},

		{"another error", `{"error":{"message":"model not found"}}`, "", 0},
		{"HTML", "<html><body>Bad gateway</body></html>", "", 0},
		{"nothing", "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, ok := refusal.Generated(fault(500, c.body))
			if ok != (c.want != "") || g.Text != c.want || g.Extent != c.extent {
				t.Errorf("%+v, %v; want %q", g, ok, c.want)
			}
			if ok && g.Source == "" {
				t.Error("no source")
			}
		})
	}
	if _, ok := refusal.Generated(nil); ok {
		t.Error("nothing has a generation")
	}
	if g, ok := refusal.Generated(&chat.Fault{Text: "Failed to parse input at pos 0: x"}); !ok || g.Text != "x" {
		t.Errorf("a fault without a body: %+v", g)
	}
	deep := strings.Repeat(`{"a":`, 1<<16)
	if _, ok := refusal.Generated(fault(400, strings.Repeat(deep, 8))); ok {
		t.Error("too large, and cut")
	}
}

// FuzzGenerated: what comes out of a body stands in it, and is found again in an
// error that carries it whole.
func FuzzGenerated(f *testing.F) {
	f.Add(`{"error":{"failed_generation":"x"}}`)
	f.Add("Failed to parse input at pos 3: x")
	f.Add(`{"error":"error parsing tool call: raw='{', err=x"}`)
	f.Fuzz(func(t *testing.T, body string) {
		g, ok := refusal.Generated(fault(500, body))
		if !ok {
			return
		}
		if strings.TrimSpace(g.Text) == "" && g.Extent != refusal.Whole || len(g.Text) > len(body) {
			t.Fatalf("%+v out of %q", g, body)
		}
	})
}
