// Package provider talks to upstreams over HTTP: it sends a chat.Request in
// the upstream's protocol and returns the answer as a chat.Stream, bounded in
// time and size.
//
// A request is sent once. The only exception is a kept-alive connection that
// turns out dead before a byte of the request was written to it: then it goes
// over another connection. Redirects are never followed, headers pass by list
// both ways, answers are never decompressed, and the credential shows up in no
// error.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ferrule/ferrule/protocol"
)

// Config describes a provider.
type Config struct {
	Name      string            // for errors and logs
	URL       string            // base of the API: http://127.0.0.1:11434/v1
	Key       Secret            // "": none is sent
	Protocol  string            // the wire protocol's name, as chat.Wire.Protocol spells it
	Client    protocol.Client   // speaks that protocol
	Bounds    Bounds            // zero fields take the defaults
	Transport http.RoundTripper // nil: one of our own, shared by the provider's requests
	Version   string            // goes into the User-Agent; "": dev
}

// Provider is one upstream endpoint with its credential. It is safe for
// concurrent use and keeps its connections between requests.
type Provider struct {
	name, protocol string
	way            way
	base           *url.URL
	client         protocol.Client
	bounds         Bounds
	transport      http.RoundTripper
	agent          []string
	// The credential stands behind functions, as fmt prints unexported fields.
	key  func() Secret
	auth func() []string // the header that carries it; nil: no key
}

// New checks c and returns its provider. It opens no connection.
func New(c Config) (*Provider, error) {
	base, err := baseURL(c.URL)
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", c.Name, err)
	}
	if c.Client == nil {
		return nil, fmt.Errorf("provider %q: no protocol client is set; pass one in Config.Client", c.Name)
	}
	p := &Provider{
		name: c.Name, protocol: c.Protocol, way: wayOf(c.Protocol), base: base, client: c.Client,
		bounds: c.Bounds.withDefaults(), transport: c.Transport, key: func() Secret { return c.Key },
	}
	version := c.Version
	if version == "" {
		version = "dev"
	}
	p.agent = []string{"ferrule/" + version}
	if c.Key != "" {
		if i := strings.IndexFunc(string(c.Key), notInHeader); i >= 0 {
			return nil, fmt.Errorf("provider %q: the key has a space, line break or non-ASCII character at byte %d; check the variable or file that it comes from", c.Name, i)
		}
		value := []string{p.way.keyPrefix + c.Key.Reveal()}
		p.auth = func() []string { return value }
	}
	if p.transport == nil {
		p.transport = newTransport(p.bounds)
	}
	return p, nil
}

// notInHeader reports whether a credential can't hold r.
func notInHeader(r rune) bool { return r <= ' ' || r >= 0x7f }

func baseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		// url.Error repeats the whole address, which may hold a password.
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("the url can't be read: %w", err)
	}
	switch {
	case s == "":
		return nil, errors.New("no url is set; give the base of the API, such as http://127.0.0.1:11434/v1")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the url must begin with http:// or https://")
	case u.User != nil:
		return nil, errors.New("the url holds a user name or password; put the credential into the provider's key")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("the url holds a query or fragment; give the base of the API alone, such as https://host/v1")
	case u.Hostname() == "":
		return nil, errors.New("the url has no host; give the base of the API, such as http://127.0.0.1:11434/v1")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// newTransport speaks HTTP/1.1 only: one connection a request, so that a cut
// concerns one answer, and Go's own rule for sending again is exact there (not
// a byte was written).
func newTransport(b Bounds) *http.Transport {
	dialer := &net.Dialer{Timeout: b.Connect, KeepAlive: 30 * time.Second}
	var http1 http.Protocols
	http1.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    b.Connect,
		DisableCompression:     true,
		MaxIdleConns:           0, // as many as there are hosts: one
		MaxIdleConnsPerHost:    1024,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: b.Header,
		Protocols:              &http1,
	}
}

// Name is the provider's name in the configuration.
func (p *Provider) Name() string { return p.name }

// URL is the base of the provider's API. It holds no credential.
func (p *Provider) URL() string { return p.base.String() }

// Close closes the connections that no request uses.
func (p *Provider) Close() {
	if t, ok := p.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// Format prints name and address whatever the verb: fmt would print the fields.
func (p *Provider) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "provider %s at %s", p.name, p.base)
}

// address is where the upstream is, for people: host and port.
func (p *Provider) address() string {
	if p.base.Port() != "" {
		return p.base.Host
	}
	port := "80"
	if p.base.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(p.base.Hostname(), port)
}

// at returns the address of a path below the base. The path may hold escapes
// and a query.
func (p *Provider) at(path string) (*url.URL, error) {
	u := *p.base
	if strings.ContainsAny(path, "%?#") {
		sub, err := url.Parse(path)
		if err != nil || sub.Host != "" || sub.Scheme != "" {
			return nil, fmt.Errorf("the path %q can't be put below the provider's url", path)
		}
		u.RawPath = u.EscapedPath() + sub.EscapedPath()
		u.Path, u.RawQuery = u.Path+sub.Path, sub.RawQuery
		return &u, nil
	}
	if u.RawPath != "" {
		u.RawPath += path
	}
	u.Path += path
	return &u, nil
}

// request builds one request; body is nil for a GET.
func (p *Provider) request(ctx context.Context, path string, h http.Header, body []byte) (*http.Request, error) {
	u, err := p.at(path)
	if err != nil {
		return nil, err
	}
	r := &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if body != nil {
		r.Method = http.MethodPost
		r.ContentLength = int64(len(body))
		// Go asks for the body anew only after a reused connection died before a
		// byte was written; without it, it would give up.
		r.GetBody = func() (io.ReadCloser, error) { return readCloser(body), nil }
		r.Body = readCloser(body)
	}
	return r.WithContext(ctx), nil
}
