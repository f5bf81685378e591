package gateway

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ferrule/ferrule/turn"
)

const (
	mostModels  = 500     // label values; a name beyond them counts as other
	mostRepairs = 500     // likewise
	otherLabel  = "other" // a name that isn't the configuration's
)

// metrics are the server's. Their labels come from the configuration and from
// the providers' own lists, never from what a client wrote.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	upstream *prometheus.HistogramVec
	calls    *prometheus.CounterVec
	repairs  *prometheus.CounterVec
	faults   *prometheus.CounterVec

	mu     sync.RWMutex
	models map[modelKey]*modelMetrics
	words  map[string]struct{} // the names of repairs that were counted
}

type modelKey struct{ provider, model string }

var buckets = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600}

func newMetrics(r *prometheus.Registry) (*metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	}
	m := &metrics{
		requests: counter("ferrule_requests_total", "Requests answered.", "surface", "provider", "model", "mode", "status"),
		seconds:  histogram("ferrule_request_seconds", "From a request's arrival to the end of its answer.", "surface", "provider", "model"),
		upstream: histogram("ferrule_upstream_seconds", "From a request to an upstream to the first piece of its answer.", "provider", "model"),
		calls:    counter("ferrule_tool_calls_total", "Tool calls by what became of them.", "provider", "model", "mode", "outcome"),
		repairs:  counter("ferrule_repairs_total", "Repairs made to tool calls.", "provider", "model", "mode", "repair"),
		faults:   counter("ferrule_upstream_faults_total", "Faults of upstreams that ended an answer, by what they mean.", "provider", "model", "class"),
		models:   map[modelKey]*modelMetrics{},
		words:    map[string]struct{}{},
	}
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.upstream, m.calls, m.repairs, m.faults} {
		if err := r.Register(c); err != nil {
			return nil, fmt.Errorf("registering the metrics: %w", err)
		}
	}
	return m, nil
}

// modelMetrics are those of one model, looked up once.
type modelMetrics struct {
	all             *metrics
	provider, model string
	upstream        prometheus.Observer

	mu       sync.RWMutex
	requests map[requestKey]prometheus.Counter
	seconds  map[string]prometheus.Observer // by surface
}

type requestKey struct {
	surface, mode string
	status        int
}

// of returns the metrics of a route; none was found where it is empty.
func (m *metrics) of(r route) *modelMetrics {
	k := modelKey{model: r.model}
	if r.source != nil {
		k.provider = r.source.Name
		if !r.known {
			k.model = otherLabel
		}
	}
	m.mu.RLock()
	mm := m.models[k]
	m.mu.RUnlock()
	if mm != nil {
		return mm
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.models) >= mostModels {
		k.model = otherLabel
	}
	if mm = m.models[k]; mm == nil {
		mm = &modelMetrics{
			all: m, provider: k.provider, model: k.model,
			upstream: m.upstream.WithLabelValues(k.provider, k.model),
			requests: map[requestKey]prometheus.Counter{},
			seconds:  map[string]prometheus.Observer{},
		}
		m.models[k] = mm
	}
	return mm
}

// done counts one answered request.
func (mm *modelMetrics) done(surface string, status int, took time.Duration, r *turn.Report) {
	k := requestKey{surface, r.Mode, status}
	mm.mu.RLock()
	c, h := mm.requests[k], mm.seconds[surface]
	mm.mu.RUnlock()
	if c == nil || h == nil {
		c = mm.all.requests.WithLabelValues(surface, mm.provider, mm.model, r.Mode, strconv.Itoa(status))
		h = mm.all.seconds.WithLabelValues(surface, mm.provider, mm.model)
		mm.mu.Lock()
		mm.requests[k], mm.seconds[surface] = c, h
		mm.mu.Unlock()
	}
	c.Inc()
	h.Observe(took.Seconds())
	if r.Fault != "" {
		mm.all.faults.WithLabelValues(mm.provider, mm.model, r.Fault).Inc()
	}
	for _, o := range r.Calls {
		mm.all.calls.WithLabelValues(mm.provider, mm.model, r.Mode, o.How).Inc()
		for _, name := range o.Repairs {
			mm.all.repairs.WithLabelValues(mm.provider, mm.model, r.Mode, mm.all.repair(name)).Inc()
		}
	}
}

// repair is the label of a repair. Their names are our own; the bound is for a
// package that should put words of a call into one.
func (m *metrics) repair(name string) string {
	m.mu.RLock()
	_, counted := m.words[name]
	m.mu.RUnlock()
	if counted {
		return name
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.words) >= mostRepairs {
		return otherLabel
	}
	m.words[name] = struct{}{}
	return name
}
