package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

const (
	askTime     = 10 * time.Second // a gateway gives its metrics at once
	mostMetrics = 16 << 20         // bytes

	callsMetric   = "ferrule_tool_calls_total"
	repairsMetric = "ferrule_repairs_total"
)

// tally is what a gateway has counted since it started.
type tally struct {
	URL     string          `json:"url"`
	Models  []modelOutcomes `json:"models"`
	Total   outcomes        `json:"total"`
	Repairs []repairsCount  `json:"repairs"` // the most first
}

// modelOutcomes are those of one model in one mode.
type modelOutcomes struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Mode     string `json:"mode"`
	outcomes
	Repairs []repairsCount `json:"repairs"` // the most first
}

// outcomes are calls by what became of them.
type outcomes struct {
	Calls    uint64   `json:"calls"` // all but the quoted ones, which are text
	Clean    uint64   `json:"clean"`
	Repaired uint64   `json:"repaired"`
	Retried  uint64   `json:"retried"`
	Failed   uint64   `json:"failed"`
	Passed   uint64   `json:"passed"`
	Quoted   uint64   `json:"quoted"`
	Rate     *float64 `json:"malformed_rate"` // of Calls, 0 to 1; null without calls
}

type repairsCount struct {
	Repair string `json:"repair"`
	Count  uint64 `json:"count"`
}

// add counts n calls that came out so. An outcome that isn't known here is a
// call nevertheless.
func (o *outcomes) add(how string, n uint64) {
	field, known := map[string]*uint64{
		turn.Clean: &o.Clean, turn.Repaired: &o.Repaired, turn.Retried: &o.Retried,
		turn.Failed: &o.Failed, turn.Passed: &o.Passed, turn.Quoted: &o.Quoted,
	}[how]
	if known {
		*field += n
	}
	if how != turn.Quoted {
		o.Calls += n
	}
	if o.Calls > 0 {
		rate := float64(o.Repaired+o.Retried+o.Failed+o.Passed) / float64(o.Calls)
		o.Rate = &rate
	}
}

// askMetrics gets what a gateway has counted, as Prometheus text.
func askMetrics(ctx context.Context, at *url.URL, key string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, at.JoinPath("metrics").String(), nil)
	if err != nil {
		return nil, err
	}
	q.Header.Set("Accept", "text/plain; version=0.0.4")
	if key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	// A redirect could take the key elsewhere.
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Do(q)
	if err != nil {
		return nil, unreached(at, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostMetrics+1))
	switch {
	case resp.StatusCode == http.StatusUnauthorized && key == "":
		return nil, fmt.Errorf("the gateway at %s wants a client key: --key-env NAME names the environment variable that holds one", at.Redacted())
	case resp.StatusCode == http.StatusUnauthorized:
		return nil, fmt.Errorf("the gateway at %s doesn't take this key: --key-env must name the variable of one of its client keys", at.Redacted())
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with status %d%s: is it a Ferrule gateway? --url names another", at.Redacted(), resp.StatusCode, saidWhy(body))
	case err != nil:
		return nil, fmt.Errorf("reading the metrics of %s: %w", at.Redacted(), err)
	case len(body) > mostMetrics:
		return nil, fmt.Errorf("the metrics of %s are longer than %d bytes", at.Redacted(), mostMetrics)
	}
	return body, nil
}

// unreached tells why there was no answer.
func unreached(at *url.URL, err error) error {
	why := ""
	switch inner := (*url.Error)(nil); {
	case errors.Is(err, syscall.ECONNREFUSED):
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf(" within %s", askTime)
	case errors.As(err, &inner):
		why = " (" + inner.Err.Error() + ")"
	}
	return fmt.Errorf("no gateway answers at %s%s: start one with ferrule serve, or name it with --url", at.Redacted(), why)
}

// saidWhy is the message in the body of an error, cut short.
func saidWhy(body []byte) string {
	raw, _ := rawjson.Get(body, "error", "message")
	text, err := rawjson.String(raw)
	if err != nil || rawjson.Valid(body, rawjson.MaxDepth) != nil {
		return ""
	}
	return fmt.Sprintf(" (%.300s)", text)
}

// count reads Prometheus text.
func count(in io.Reader) (t tally, err error) {
	p := expfmt.NewTextParser(model.UTF8Validation)
	families, err := p.TextToMetricFamilies(in)
	if err != nil {
		return t, err
	}
	t.Models = []modelOutcomes{}
	at := map[[3]string]int{}
	// of is the model in its mode that a metric's labels name.
	of := func(l map[string]string) *modelOutcomes {
		k := [3]string{l["provider"], l["model"], l["mode"]}
		i, ok := at[k]
		if !ok {
			i, at[k] = len(t.Models), len(t.Models)
			t.Models = append(t.Models, modelOutcomes{Provider: k[0], Model: k[1], Mode: k[2], Repairs: []repairsCount{}})
		}
		return &t.Models[i]
	}
	for _, m := range families[callsMetric].GetMetric() {
		l, n := labels(m.GetLabel()), whole(m.GetCounter().GetValue())
		of(l).add(l["outcome"], n)
		t.Total.add(l["outcome"], n)
	}
	all := map[string]uint64{}
	for _, m := range families[repairsMetric].GetMetric() {
		l, n := labels(m.GetLabel()), whole(m.GetCounter().GetValue())
		if name := l["repair"]; name != "" {
			o := of(l)
			o.Repairs = append(o.Repairs, repairsCount{name, n})
			all[name] += n
		}
	}
	t.Repairs = []repairsCount{}
	for name, n := range all {
		t.Repairs = append(t.Repairs, repairsCount{name, n})
	}
	slices.SortFunc(t.Models, func(a, b modelOutcomes) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Mode, b.Mode))
	})
	mostFirst(t.Repairs)
	for i := range t.Models {
		mostFirst(t.Models[i].Repairs)
	}
	return t, nil
}

func mostFirst(rs []repairsCount) {
	slices.SortFunc(rs, func(a, b repairsCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Repair, b.Repair))
	})
}

func labels[P interface {
	GetName() string
	GetValue() string
}](ps []P) map[string]string {
	l := map[string]string{}
	for _, p := range ps {
		l[p.GetName()] = p.GetValue()
	}
	return l
}

// whole reads a counter; what no counter can hold counts as nothing.
func whole(v float64) uint64 {
	const most = 1 << 53
	if v >= 0 && v <= most {
		return uint64(v)
	}
	return 0
}
