package provider

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
)

// Send encodes q, posts it and returns the answer's stream, which must be
// closed. An error before the answer is a *chat.Fault, or the context's own
// when the caller gave up. Ending ctx cancels the upstream request at once.
//
// The stream is also a protocol.Readier, and has Header() http.Header: what a
// client may see of the upstream's header.
func (p *Provider) Send(ctx context.Context, q *chat.Request) (chat.Stream, error) {
	path, body, err := p.client.EncodeRequest(q)
	if err != nil {
		return nil, fmt.Errorf("encode the request for provider %s: %w", p.name, err)
	}
	if body == nil {
		body = []byte{}
	}
	var from map[string][]string
	if q.Wire != nil && q.Wire.Protocol == p.protocol {
		from = q.Wire.Header
	}
	resp, g, err := p.do(ctx, path, p.requestHeader(from, q.Stream), body, p.bounds.FirstByte, p.bounds.Whole)
	if err != nil {
		return nil, err
	}
	if f := p.check(resp); f != nil {
		release(resp, g)
		return nil, f
	}
	b := &answer{r: resp.Body, guard: g, left: p.bounds.Body, parent: ctx, provider: p}
	contentType := resp.Header.Get("Content-Type")
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer release(resp, g)
		return nil, p.refused(resp, b)
	}
	if strings.HasPrefix(contentType, "text/event-stream") {
		b.left = p.bounds.Stream
	}
	s := &stream{inner: p.client.Decode(b, contentType), body: b, header: responseHeader(resp.Header), room: p.bounds.Text}
	s.ready, _ = s.inner.(protocol.Readier)
	return s, nil
}

// do sends one request and waits for the answer's head.
func (p *Provider) do(ctx context.Context, path string, h http.Header, body []byte, first, whole time.Duration) (*http.Response, *guard, error) {
	gctx, g := newGuard(ctx, first, whole)
	for again := false; ; again = true {
		r, err := p.request(gctx, path, h, body)
		if err != nil {
			g.stop()
			return nil, nil, fmt.Errorf("provider %s: %w", p.name, err)
		}
		resp, err := p.transport.RoundTrip(r)
		if err == nil {
			g.answered(p.bounds.Silence)
			return resp, g, nil
		}
		if !again && closedIdle(err) && gctx.Err() == nil {
			continue
		}
		f := p.failed(err, g)
		g.stop()
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("provider %s: %w", p.name, ctx.Err())
		}
		return nil, nil, f
	}
}

// closedIdle reports whether a kept-alive connection was closed by the server
// before the request was written to it. Go sends a GET again by itself then,
// but no POST; the error has no name of its own.
func closedIdle(err error) bool {
	return err.Error() == "http: server closed idle connection"
}

// check refuses the answers that are nobody's to read.
func (p *Provider) check(resp *http.Response) *chat.Fault {
	if c := resp.StatusCode; c >= 300 && c <= 399 {
		return p.fault(codeRedirect, http.StatusBadGateway, fmt.Sprintf(
			"answered %d, a redirect%s. Redirects are not followed, as they would carry the key elsewhere; if the address is right, set it as the provider's url.", c, target(resp)))
	}
	for _, e := range resp.Header["Content-Encoding"] {
		if e != "" && e != "identity" {
			return p.fault(codeEncoding, http.StatusBadGateway, fmt.Sprintf(
				"answered with content-encoding %.40q though identity was asked for. Switch compression off at the upstream or the proxy before it.", e))
		}
	}
	return nil
}

// target names where a redirect leads, without query or credentials.
func target(resp *http.Response) string {
	u, err := resp.Location()
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return fmt.Sprintf(" to %.200q", u.String())
}

// refused reads an answer that is an error.
func (p *Provider) refused(resp *http.Response, b *answer) error {
	b.left = p.bounds.Error
	raw, err := io.ReadAll(b)
	if err != nil && b.parent.Err() != nil {
		return err
	}
	// One that is too long, late or cut says what it says up to there.
	w := chat.Wire{Protocol: p.protocol, Header: responseHeader(resp.Header), Body: p.redact(raw)}
	f := p.client.DecodeFault(resp.StatusCode, w)
	if f.Wire == nil {
		f.Wire = &w
	}
	return f
}

// redact takes the credential out of what an upstream says.
func (p *Provider) redact(b []byte) []byte {
	if key := p.key().Reveal(); len(key) >= minSecret && bytes.Contains(b, []byte(key)) {
		return bytes.ReplaceAll(b, []byte(key), []byte(p.key().String()))
	}
	return b
}

// hide takes the credential out of a fault that an upstream wrote into its
// answer, and reports whether it was there.
func (p *Provider) hide(f *chat.Fault) bool {
	key := p.key().Reveal()
	hidden := len(key) >= minSecret && strings.Contains(f.Text, key)
	if hidden {
		f.Text = strings.ReplaceAll(f.Text, key, p.key().String())
	}
	if w := f.Wire; w != nil {
		body := p.redact(w.Body)
		hidden = hidden || !bytes.Equal(body, w.Body)
		w.Body = body
	}
	return hidden
}

// minSecret is the length in bytes from which on a key is told apart from words.
const minSecret = 6

// release gives up an answer that isn't read to its end.
func release(resp *http.Response, g *guard) {
	g.stop()
	_ = resp.Body.Close()
}

func readCloser(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
