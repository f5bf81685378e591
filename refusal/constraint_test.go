package refusal_test

import (
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/refusal"
)

func TestConstraint(t *testing.T) {
	for _, c := range []struct {
		f                *chat.Fault
		refused, lasting bool
	}{
		{fault(400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`), true, true},
		{fault(400, `{"error":"'response_format.type' must be 'json_schema' or 'text'"}`), true, true},
		{fault(400, `{"error":{"message":"This model does not support response format json_schema"}}`), true, true},
		{fault(422, `{"detail":[{"type":"extra_forbidden","loc":["body","structured_outputs"],"msg":"Extra inputs are not permitted"}]}`), true, true},
		{&chat.Fault{Status: 400, Code: "unsupported_parameter", Param: "response_format", Text: "Unsupported parameter."}, true, true},
		{fault(400, `{"error":{"message":"Invalid schema for response_format 'tool_call': In context=(), 'allOf' is not permitted."}}`), true, false},
		{fault(400, `{"error":{"message":"Failed to parse grammar"}}`), true, false},
		{fault(400, `{"error":{"code":400,"message":"Unable to generate parser for this template. Automatic parser generation failed: JSON schema error at #/properties/a: unsupported $ref https://a.example/x.json, only references into the same document are supported","type":"invalid_request_error"}}`), true, false},
		{fault(400, `{"error":{"code":400,"message":"Failed to initialize samplers: failed to parse grammar","type":"invalid_request_error"}}`), true, false},
		{fault(500, "grammar error: unexpected end of input"), true, false},
		{fault(400, `{"error":"model not found"}`), false, false},
		{fault(503, `{"error":"overloaded"}`), false, false},
		{fault(401, `{"error":"response_format is not supported without a key"}`), false, false},
		{fault(429, `{"error":"too many requests with response_format"}`), false, false},
		{nil, false, false},
	} {
		refused, lasting := refusal.Constraint(c.f)
		if refused != c.refused || lasting != c.lasting {
			t.Errorf("%+v: %v, %v", c.f, refused, lasting)
		}
	}
}
