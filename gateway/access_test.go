package gateway_test

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/gateway"
)

const chatPath = "/v1/chat/completions"

func TestHost(t *testing.T) {
	o := options()
	o.Hosts = []string{"ferrule.lan"}
	s := server(t, o)
	for host, ok := range map[string]bool{
		"127.0.0.1:8787": true, "localhost:8787": true, "LOCALHOST": true, "[::1]:8787": true, "[::1]": true,
		"127.9.9.9": true, "a.localhost:1": true, "ferrule.lan:8787": true, "FERRULE.LAN": true,
		"evil.example:8787": false, "127.0.0.1.evil.example": false, "localhost.evil.example": false,
		"192.168.0.5:8787": false, "0.0.0.0:8787": false, "xferrule.lan": false, "": false,
	} {
		for _, r := range []*http.Request{post(chatPath, ask, "Host", host), get("/v1/models", "Host", host), get("/metrics", "Host", host)} {
			r.Host = host
			if w := do(s, r); ok {
				good(t, w)
			} else {
				refused(t, w, http.StatusForbidden, "host_not_allowed")
			}
		}
	}
	// A probe comes with whatever name it likes, and learns nothing.
	good(t, do(s, get("/healthz", "Host", "10.0.0.9:8787")))
	good(t, do(s, get("/readyz", "Host", "10.0.0.9:8787")))
}

func TestOrigin(t *testing.T) {
	s := server(t, options())
	for _, c := range []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"a program", nil, true},
		{"own page", []string{"Origin", "http://127.0.0.1:8787"}, true},
		{"own page, by browser's word", []string{"Sec-Fetch-Site", "same-origin"}, true},
		{"foreign page", []string{"Origin", "https://evil.example"}, false},
		{"foreign page, by browser's word", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"another port", []string{"Origin", "http://127.0.0.1:3000"}, false},
		{"a file", []string{"Origin", "null"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := do(s, post(chatPath, ask, c.headers...))
			if c.ok {
				good(t, w)
			} else {
				refused(t, w, http.StatusForbidden, "origin_not_allowed")
			}
			for k := range w.Header() {
				if strings.HasPrefix(k, "Access-Control") {
					t.Errorf("a CORS header: %s", k)
				}
			}
		})
	}
}

func TestPreflightIsRefused(t *testing.T) {
	r := get(chatPath, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
	r.Method = http.MethodOptions
	if w := do(server(t, options()), r); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
}

func TestKeys(t *testing.T) {
	o := options()
	o.Keys = []gateway.Key{{Name: "ann", Hash: sha256.Sum256([]byte("ann-key"))}, {Name: "bob", Hash: sha256.Sum256([]byte("bob-key"))}}
	log, text := logs()
	o.Log = log
	s := server(t, o)
	for _, c := range []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"none", nil, false},
		{"bearer", []string{"Authorization", "Bearer ann-key"}, true},
		{"bearer, small", []string{"Authorization", "bearer bob-key"}, true},
		{"x-api-key", []string{"X-Api-Key", "bob-key"}, true},
		{"both, one right", []string{"X-Api-Key", "dummy", "Authorization", "Bearer ann-key"}, true},
		{"wrong", []string{"Authorization", "Bearer ann-kex"}, false},
		{"beginning", []string{"Authorization", "Bearer ann"}, false},
		{"empty", []string{"Authorization", "Bearer "}, false},
		{"basic", []string{"Authorization", "Basic ann-key"}, false},
		{"bare", []string{"Authorization", "ann-key"}, false},
		{"any host", []string{"Authorization", "Bearer ann-key", "Host", "gw.example"}, true},
		{"any host, no key", []string{"Host", "gw.example"}, false},
		{"foreign page", []string{"Authorization", "Bearer ann-key", "Origin", "https://evil.example"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := do(s, post(chatPath, ask, c.headers...))
			switch {
			case c.ok:
				good(t, w)
			case c.name == "foreign page":
				refused(t, w, http.StatusForbidden, "origin_not_allowed")
			default:
				refused(t, w, http.StatusUnauthorized, "invalid_api_key")
				if w.Header().Get("WWW-Authenticate") != "Bearer" {
					t.Error("no WWW-Authenticate")
				}
			}
		})
	}
	for _, path := range []string{"/v1/models", "/metrics", "/nowhere"} {
		refused(t, do(s, get(path)), http.StatusUnauthorized, "invalid_api_key")
	}
	good(t, do(s, get("/v1/models", "Authorization", "Bearer ann-key")))
	good(t, do(s, get("/healthz")))
	if out := text(); strings.Contains(out, "-key") && !strings.Contains(out, "key=ann") || strings.Contains(out, "ann-key") || strings.Contains(out, "bob-key") {
		t.Errorf("a key is in the log: %s", out)
	}
}
