// Package gateway is the HTTP server in front of the models: routes, client
// keys, bounds, the choice of a model, the way back to the client, metrics and
// one log line a request. What happens to tools is turn's affair; what bytes
// look like is the protocols'.
package gateway

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/ferrule/ferrule/turn"
)

// Options say what a Server serves. The zero value of every field but Runner
// and Providers works.
type Options struct {
	Providers []Provider
	Aliases   map[string]string // name or glob (* only) -> provider/model
	Keys      []Key             // client keys; none: whoever reaches the gateway may use it
	Hosts     []string          // Host names answered without keys, besides the loopback ones
	Surfaces  []Surface         // nil: Surfaces()
	Runner    *turn.Runner
	Log       *slog.Logger         // nil: nothing is logged
	Registry  *prometheus.Registry // nil: one of its own
	Counts    Counts               // nil: nothing is counted beyond the metrics
	Ping      time.Duration        // how long a stream may be silent before a keep-alive; 15 s
	Now       func() time.Time     // nil: time.Now
	Bounds    Bounds
}

// Counts keeps how the calls of models ended. It is called for each request
// that had calls, once it is answered.
type Counts interface {
	Count(provider, model, how string, calls int)
}

// Bounds limit what clients may ask for. A zero field takes the default.
type Bounds struct {
	Body     int64         // bytes of one request after decoding; 32 MB
	InFlight int64         // bytes of all requests being worked on; 1 GB
	Header   int           // bytes of a request's header; 64 KB
	Read     time.Duration // for each read of a request; 30 s
	Stall    time.Duration // how long a client may take no bytes; 60 s
	Grace    time.Duration // for open answers at shutdown; 30 s
}

func (b Bounds) withDefaults() Bounds {
	setDefault(&b.Body, 32<<20)
	setDefault(&b.InFlight, 1<<30)
	setDefault(&b.Header, 64<<10)
	setDefault(&b.Read, 30*time.Second)
	setDefault(&b.Stall, 60*time.Second)
	setDefault(&b.Grace, 30*time.Second)
	return b
}

func setDefault[T int | int64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Server answers clients. It is an http.Handler, safe for concurrent use.
type Server struct {
	runner   *turn.Runner
	log      *slog.Logger
	now      func() time.Time
	ping     time.Duration
	bounds   Bounds
	keys     keyring
	hosts    hostList
	origins  *http.CrossOriginProtection
	models   *catalogue
	notices  notices
	metrics  *metrics
	counts   Counts
	registry *prometheus.Registry
	surfaces []Surface
	mux      *http.ServeMux
	paths    []string // for the error that names them
	inFlight budget
	draining atomic.Bool
}

var _ http.Handler = (*Server)(nil)

// New checks the options and returns a Server. It opens no connection.
func New(o Options) (*Server, error) {
	if o.Runner == nil {
		return nil, errors.New("gateway: Options.Runner is missing")
	}
	models, err := newCatalogue(o)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	s := &Server{
		runner: o.Runner, log: o.Log, now: o.Now, ping: o.Ping, bounds: o.Bounds.withDefaults(),
		keys: o.Keys, hosts: newHostList(o.Hosts), origins: http.NewCrossOriginProtection(),
		models: models, counts: o.Counts, registry: o.Registry, surfaces: o.Surfaces, mux: http.NewServeMux(),
	}
	setDefault(&s.ping, 15*time.Second)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.surfaces == nil {
		s.surfaces = Surfaces()
	}
	if s.registry == nil {
		s.registry = prometheus.NewRegistry()
	}
	if s.metrics, err = newMetrics(s.registry); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	s.inFlight.left.Store(s.bounds.InFlight)
	s.routes()
	return s, nil
}

// guarded says what a route asks of its caller.
type guarded uint8

const (
	open      guarded = iota // nothing: probes come from anywhere
	protected                // the right Host and origin, and a key where there are keys
)

func (s *Server) routes() {
	metrics := promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})
	for i := range s.surfaces {
		sf := &s.surfaces[i]
		for _, p := range sf.Paths {
			s.route(http.MethodPost, p, protected, func(w http.ResponseWriter, r *http.Request) { s.converse(w, r, sf) })
		}
		if sf.Count != "" {
			s.route(http.MethodPost, sf.Count, protected, func(w http.ResponseWriter, r *http.Request) { s.count(w, r, sf) })
		}
	}
	for _, base := range []string{"/v1/models", "/models"} {
		s.route(http.MethodGet, base, protected, s.listModels)
		s.route(http.MethodGet, base+"/{id...}", protected, s.oneModel)
	}
	s.route(http.MethodGet, "/metrics", protected, metrics.ServeHTTP)
	s.route(http.MethodGet, "/healthz", open, func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") })
	s.route(http.MethodGet, "/readyz", open, s.ready)
	s.mux.HandleFunc("/", s.guard(protected, s.noSuchPath))
}

// route serves one method of a path, and tells every other method which one that is.
func (s *Server) route(method, path string, g guarded, h http.HandlerFunc) {
	s.paths = append(s.paths, method+" "+path)
	s.mux.HandleFunc(method+" "+path, s.guard(g, h))
	s.mux.HandleFunc(path, s.guard(g, func(w http.ResponseWriter, r *http.Request) {
		allow := method
		if method == http.MethodGet {
			allow += ", " + http.MethodHead
		}
		w.Header().Set("Allow", allow)
		s.refuseAt(w, r, faultf(http.StatusMethodNotAllowed, "method_not_allowed", "%s takes %s.", path, method))
	}))
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A deadline of the connection's last answer must not end this one's, and of
	// a body that nobody wants the server still reads a part.
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(s.bounds.Stall))
	if r.ContentLength != 0 {
		_ = rc.SetReadDeadline(time.Now().Add(s.bounds.Read))
	}
	w.Header()[requestID] = []string{rand.Text()}
	s.mux.ServeHTTP(w, r)
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) {
	if s.draining.Load() {
		plain(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	plain(w, http.StatusOK, "ready\n")
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
