package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

// exchange is one client request and its answer.
type exchange struct {
	s      *Server
	sf     *Surface
	w      http.ResponseWriter
	start  time.Time
	id     string
	owner  string
	asked  string // the model as the client wrote it
	route  route
	report turn.Report
	tap    *tap
	out    *response
	stream bool
	status int
	code   string // of the fault, where there was one
	cause  error  // what only the log may tell
}

// converse answers one request on a surface.
func (s *Server) converse(w http.ResponseWriter, r *http.Request, sf *Surface) {
	x := &exchange{s: s, sf: sf, w: w, start: s.now(), id: w.Header().Get(requestID), owner: ownerOf(r.Context())}
	l := lease{from: &s.inFlight}
	defer l.end()
	defer x.record()
	body, fault := s.readBody(w, r, &l)
	if fault != nil {
		x.refuse(fault)
		return
	}
	q, fault := sf.Server.DecodeRequest(r.URL.Path, chat.Wire{Protocol: sf.Protocol, Header: r.Header, Body: body})
	if fault != nil {
		x.refuse(fault)
		return
	}
	x.asked, x.stream = q.Model, q.Stream
	if x.route, fault = s.models.resolve(r.Context(), q.Model); fault != nil {
		x.refuse(fault)
		return
	}
	x.run(r.Context(), q)
}

// run has the turn done and sends what comes of it.
func (x *exchange) run(ctx context.Context, q *chat.Request) {
	s := x.s
	out := s.response(x.w, x.sf, q)
	x.out = out
	defer out.release()
	x.tap = &tap{
		Upstream: x.route.source.Upstream, out: out, now: s.now,
		seconds: s.metrics.of(x.route).upstream,
	}
	if len(q.Tools) > 0 {
		x.route.source.learns(ctx, x.route.model)
	}
	p := x.route.source.profile(x.route.model)
	var err error
	x.report, err = s.runner.Run(ctx, turn.Target{
		Provider: x.route.source.Name,
		Model:    x.route.model,
		Upstream: x.tap,
		Profile:  p,
		Owner:    x.owner,
		Begin:    out.begin,
		Describe: s.describer(p),
	}, q, out.frame)
	if lost := out.lost(); ctx.Err() != nil || lost != nil {
		x.status, x.cause = clientClosed, lost
		return
	}
	if err == nil {
		if f := out.verdict(); f != nil {
			err = f
		}
	}
	var fault *chat.Fault
	if err != nil {
		fault = x.fault(err)
		if !out.open() {
			if out.tools && x.report.Mode != "" {
				x.w.Header().Set(toolsHeader, x.report.String())
			}
			x.refuse(fault)
			return
		}
	}
	x.status = http.StatusOK
	if err := out.end(&x.report, fault); err != nil {
		x.cause = err
	}
}

// fault returns what the client is told of an error.
func (x *exchange) fault(err error) *chat.Fault {
	var own *chat.Fault
	if !errors.As(err, &own) {
		x.cause = err
	}
	f := asFault(err)
	if f.Code == turn.CodeToolsNotSupported && f.Wire == nil {
		c := *f
		c.Text += x.s.toolUsers()
		f = &c
	}
	x.code = f.Code
	return f
}

func (x *exchange) refuse(f *chat.Fault) {
	x.code = f.Code
	x.status = x.s.writeFault(x.w, x.sf, f)
}

// toolUsers names a few models that take tools.
func (s *Server) toolUsers() string {
	const few = 5
	var ids []string
	for _, src := range s.models.sources {
		for _, n := range src.names() {
			if s.mode(src, n) != profile.None {
				ids = append(ids, src.Name+"/"+n)
			}
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return " Models that take tools: " + strings.Join(ids[:min(few, len(ids))], ", ") + "."
}

// count keeps how the calls ended.
func (x *exchange) count() {
	if x.s.counts == nil || x.route.source == nil || len(x.report.Calls) == 0 {
		return
	}
	ended := map[string]int{}
	for _, c := range x.report.Calls {
		ended[c.How]++
	}
	for how, n := range ended {
		x.s.counts.Count(x.route.source.Name, x.route.model, how, n)
	}
}

// record counts the exchange and writes its one log line. A panic ends the
// request, not the program.
func (x *exchange) record() {
	if p := recover(); p != nil {
		// Its value may hold words of the conversation; its type and place don't.
		x.s.log.Error("panic", "id", x.id, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		if x.out != nil && x.out.open() {
			x.status = http.StatusInternalServerError
			defer panic(http.ErrAbortHandler) // the client must not take what it got for whole
		} else {
			x.refuse(internalFault())
		}
	}
	x.s.notice(x.route, &x.report)
	took := x.s.now().Sub(x.start)
	x.s.metrics.of(x.route).done(x.sf.Name, x.status, took, &x.report)
	x.count()
	ctx := context.Background()
	if !x.s.log.Enabled(ctx, slog.LevelInfo) {
		return
	}
	as := make([]slog.Attr, 0, 16)
	as = append(as,
		slog.String("id", x.id),
		slog.String("surface", x.sf.Name),
		slog.Int("status", x.status),
		slog.Duration("took", took),
		slog.Bool("stream", x.stream),
		slog.String("asked", printable(x.asked)))
	if x.owner != "" {
		as = append(as, slog.String("key", x.owner))
	}
	if x.route.source != nil {
		as = append(as, slog.String("provider", x.route.source.Name), slog.String("model", printable(x.route.model)))
	}
	if x.tap != nil {
		u := x.report.Usage
		as = append(as, slog.String("tools", x.report.String()), slog.Int("calls", len(x.report.Calls)),
			slog.Duration("upstream", x.tap.first), slog.Int("input", u.Input), slog.Int("output", u.Output))
	}
	if x.code != "" {
		as = append(as, slog.String("fault", printable(x.code)))
	}
	if x.report.Fault != "" {
		as = append(as, slog.String("refusal", x.report.Fault))
	}
	if x.report.Sample != "" {
		as = append(as, slog.String("sample", x.report.Sample))
	}
	if x.cause != nil {
		as = append(as, slog.String("error", printable(x.cause.Error())))
	}
	x.s.log.LogAttrs(ctx, slog.LevelInfo, "request", as...)
}
