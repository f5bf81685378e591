package provider

import (
	"net/http"
	"net/textproto"
	"strings"
)

// Headers pass by list, both ways. What isn't here stays behind: credentials
// and cookies, hop headers, and Idempotency-Key above all, which makes Go's
// Transport send a POST a second time by itself.
var (
	// toUpstream are the client's headers that an upstream of the same protocol gets.
	toUpstream = map[string]bool{
		"Anthropic-Beta":      true,
		"Anthropic-Version":   true,
		"Http-Referer":        true,
		"Openai-Beta":         true,
		"Openai-Organization": true,
		"Openai-Project":      true,
		"X-Client-Request-Id": true,
		"X-Openrouter-Title":  true,
		"X-Title":             true,
	}
	// toClient are the upstream's headers that a client may see.
	toClient = map[string]bool{
		"Content-Type":              true,
		"Cf-Ray":                    true,
		"Request-Id":                true,
		"Retry-After":               true,
		"Retry-After-Ms":            true,
		"X-Request-Id":              true,
		"X-Should-Retry":            true,
		"Anthropic-Organization-Id": true,
		"Openai-Model":              true,
		"Openai-Organization":       true,
		"Openai-Processing-Ms":      true,
		"Openai-Project":            true,
		"Openai-Version":            true,
	}
	toClientPrefixes = []string{"X-Ratelimit-", "Anthropic-Ratelimit-", "Ratelimit-"}
)

// requestHeader is what goes to the upstream. from is the client's own header,
// nil when it spoke another protocol.
func (p *Provider) requestHeader(from map[string][]string, stream bool) http.Header {
	h := make(http.Header, 6)
	for k, v := range from {
		if name := textproto.CanonicalMIMEHeaderKey(k); toUpstream[name] {
			h[name] = v
		}
	}
	for k, v := range p.way.fixed {
		if _, own := h[k]; !own {
			h[k] = v
		}
	}
	h["User-Agent"] = p.agent
	h["Accept-Encoding"] = identity
	h["Content-Type"] = jsonType
	h["Accept"] = jsonType
	if stream {
		h["Accept"] = streamType
	}
	if p.auth != nil {
		h[p.way.keyHeader] = p.auth()
	}
	return h
}

// Values shared by all requests; nobody writes to them.
var (
	identity   = []string{"identity"}
	jsonType   = []string{"application/json"}
	streamType = []string{"text/event-stream, application/json"}
)

// responseHeader leaves of an upstream's header what a client may see.
func responseHeader(h http.Header) http.Header {
	for k := range h {
		if !toClient[k] && !hasPrefix(k, toClientPrefixes) {
			delete(h, k)
		}
	}
	return h
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
