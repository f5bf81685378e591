package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// Key is a client's key. Only its hash is known.
type Key struct {
	Name string // the owner of what comes with it; in the log
	Hash [32]byte
}

type keyring []Key

// owner returns whose key the request carries. All keys are compared, each in
// constant time, so that the time tells nothing of them.
func (k keyring) owner(h http.Header) (name string, ok bool) {
	given := h["X-Api-Key"]
	for _, a := range h["Authorization"] {
		if scheme, token, found := strings.Cut(a, " "); found && strings.EqualFold(scheme, "bearer") {
			given = append(given[:len(given):len(given)], strings.TrimSpace(token))
		}
	}
	const most = 4 // nobody sends more
	for _, g := range given[:min(len(given), most)] {
		sum := sha256.Sum256([]byte(g))
		for i := range k {
			if subtle.ConstantTimeCompare(sum[:], k[i].Hash[:]) == 1 {
				name, ok = k[i].Name, true
			}
		}
	}
	return name, ok
}

// hostList holds the Host names that are answered while there are no keys. A
// page whose name was made to point to 127.0.0.1 sends its own name.
type hostList map[string]bool

func newHostList(extra []string) hostList {
	l := hostList{"localhost": true}
	for _, h := range extra {
		l[strings.ToLower(h)] = true
	}
	return l
}

func (l hostList) has(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(strings.ToLower(host), "[]")
	if l[host] || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

type ownerKey struct{}

// ownerOf returns whose request it is; "" where the gateway has no keys.
func ownerOf(ctx context.Context) string {
	name, _ := ctx.Value(ownerKey{}).(string)
	return name
}

// guard lets a request through to h, or tells why not.
func (s *Server) guard(g guarded, h http.HandlerFunc) http.HandlerFunc {
	if g == open {
		return h
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if len(s.keys) == 0 && !s.hosts.has(r.Host) {
			s.refuseAt(w, r, faultf(http.StatusForbidden, "host_not_allowed",
				"The Host %s isn't this gateway's. Add it to hosts in the configuration, or set client keys.", printable(r.Host)))
			return
		}
		if s.origins.Check(r) != nil {
			s.refuseAt(w, r, faultf(http.StatusForbidden, "origin_not_allowed",
				"A web page of another origin can't use this gateway."))
			return
		}
		if len(s.keys) > 0 {
			owner, ok := s.keys.owner(r.Header)
			if !ok {
				w.Header().Set("WWW-Authenticate", "Bearer")
				s.refuseAt(w, r, faultf(http.StatusUnauthorized, "invalid_api_key",
					"A client key of this gateway is needed: Authorization: Bearer KEY, or x-api-key."))
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), ownerKey{}, owner))
		}
		// What was meant for the gateway ends here.
		for _, k := range [...]string{"Authorization", "X-Api-Key", "Cookie", "Proxy-Authorization"} {
			delete(r.Header, k)
		}
		h(w, r)
	}
}
