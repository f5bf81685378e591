package gateway

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol"
	"github.com/ferrule/ferrule/turn"
)

// response is the way back to one client. What the encoder writes is gathered
// and goes out when the upstream has nothing more at hand, never event by
// event. Its methods may be called by the turn and by the keep-alive at once.
type response struct {
	rw      http.ResponseWriter
	rc      *http.ResponseController
	surface *Surface
	stream  bool
	tools   bool          // the request has tools: Ferrule-Tools is due
	stall   time.Duration // how long the client may take no bytes
	every   time.Duration // keep-alive

	mu       sync.Mutex
	enc      protocol.Encoder
	fault    *chat.Fault // that the answer itself told of
	finished bool        // the answer said why it ended
	buf      *[]byte     // pooled; nil until the encoder writes
	upstream http.Header // what the last upstream said that the client may see
	head     string      // Ferrule-Tools, once it is known
	begun    bool        // the encoder has written
	sent     bool        // the header is out
	done     bool
	err      error     // of writing to the client
	renewed  time.Time // when the client last got its time to take bytes
	last     time.Time
	timer    *time.Timer
}

const (
	pooledBuffer = 4 << 10
	fullBuffer   = 32 << 10 // goes out without waiting for more
	keptBuffer   = 64 << 10 // larger ones go back to the collector
)

var bufferPool = sync.Pool{New: func() any {
	b := make([]byte, 0, pooledBuffer)
	return &b
}}

func (s *Server) response(w http.ResponseWriter, sf *Surface, q *chat.Request) *response {
	o := &response{
		rw: w, rc: http.NewResponseController(w), surface: sf, stream: q.Stream,
		tools: len(q.Tools) > 0, stall: s.bounds.Stall, every: s.ping,
		last: time.Now(),
	}
	o.enc = sf.Server.Encoder((*encoderOut)(o), q)
	if o.stream {
		o.mu.Lock() // the timer's function reads o.timer
		o.timer = time.AfterFunc(o.every, o.ping)
		o.mu.Unlock()
	}
	return o
}

// encoderOut is the writer that the encoder sees. Whoever calls the encoder holds the lock.
type encoderOut response

func (e *encoderOut) Write(p []byte) (int, error) {
	o := (*response)(e)
	if o.err != nil {
		return 0, o.err
	}
	if len(p) > 0 {
		o.begun = true
		if o.buf == nil {
			o.buf = bufferPool.Get().(*[]byte)
		}
		*o.buf = append(*o.buf, p...)
	}
	if o.stream && o.held() >= fullBuffer {
		return len(p), o.push()
	}
	return len(p), nil
}

// held is how many bytes wait in the buffer.
func (o *response) held() int {
	if o.buf == nil {
		return 0
	}
	return len(*o.buf)
}

// push hands the buffer to the connection; the header goes before it.
func (o *response) push() error {
	if o.err != nil || o.held() == 0 {
		return o.err
	}
	o.header()
	o.renew()
	_, o.err = o.rw.Write(*o.buf)
	*o.buf = (*o.buf)[:0]
	return o.err
}

// renew gives the client its whole time again.
func (o *response) renew() {
	now := time.Now()
	if now.Sub(o.renewed) < o.stall/closeEnough {
		return
	}
	o.renewed = now
	_ = o.rc.SetWriteDeadline(now.Add(o.stall))
}

// flush sends all that has been written.
func (o *response) flush() error {
	if o.held() == 0 {
		return o.err
	}
	if err := o.push(); err != nil {
		return err
	}
	if err := o.rc.Flush(); err != nil {
		o.err = err
	}
	o.last = time.Now()
	return o.err
}

// header sends the head of a good answer, once.
func (o *response) header() {
	if o.sent {
		return
	}
	o.sent = true
	h := o.rw.Header()
	want := o.surface.Whole
	if o.stream {
		want = o.surface.Stream
	}
	for k, v := range o.upstream {
		h[k] = v
	}
	if !sameMedia(h.Get(contentType), want) {
		h[contentType] = []string{want}
	}
	if o.tools {
		if o.head != "" {
			h[toolsHeader] = []string{o.head}
		}
		if o.stream {
			h["Trailer"] = trailer
		}
	}
	o.rw.WriteHeader(http.StatusOK)
}

var trailer = []string{toolsHeader}

// from notes what the upstream said in its header.
func (o *response) from(h http.Header) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.upstream = h
}

// begin notes what is known of the turn before its first frame.
func (o *response) begin(r turn.Report) {
	if !o.tools {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.sent { // else a keep-alive went before it, and the trailer has the whole
		o.head = r.Head()
	}
}

// frame is the turn's sink.
func (o *response) frame(f chat.Frame) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return o.err
	}
	if !o.stream {
		o.witness(f)
	}
	return o.enc.Frame(f)
}

// witness notes how a collected answer ended: its status is still to be chosen.
func (o *response) witness(f chat.Frame) {
	o.finished = o.finished || f.Whole // some servers give no reason
	for i := range f.Events {
		switch f.Events[i].Kind {
		case chat.EventFault:
			o.fault = f.Events[i].Fault
		case chat.EventFinish:
			o.finished = true
		}
	}
}

// verdict returns the fault of a collected answer that was none: one that told
// of an error in a good reply, or never came to its end.
func (o *response) verdict() *chat.Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.stream || o.finished && o.fault == nil:
		return nil
	case o.fault != nil:
		return o.fault
	}
	return &chat.Fault{
		Status: http.StatusBadGateway, Code: turn.CodeUpstreamCut, Retryable: true,
		Text: "The upstream's answer ended before its end.",
	}
}

// idle is called when the upstream has nothing at hand.
func (o *response) idle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stream {
		_ = o.flush() // the next frame meets the error
	}
}

// ping keeps the stream alive while nothing goes out.
func (o *response) ping() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done || o.err != nil {
		return
	}
	wait := o.every - time.Since(o.last)
	if wait <= 0 {
		if o.err = o.enc.Ping(); o.err != nil || o.flush() != nil {
			return
		}
		wait = o.every
	}
	o.timer.Reset(wait)
}

// open reports whether the client has seen anything, so that a fault can only
// end the stream.
func (o *response) open() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.sent || o.begun
}

// lost returns the error that ended writing to the client.
func (o *response) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// end closes the answer, with a fault where there is one.
func (o *response) end(r *turn.Report, f *chat.Fault) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	if o.tools && !o.stream {
		o.head = r.String()
	}
	if err := o.enc.Close(f); err != nil {
		return err
	}
	if !o.stream {
		o.rw.Header().Set("Content-Length", strconv.Itoa(o.held()))
	}
	if err := o.push(); err != nil {
		return err
	}
	o.header() // an answer without a byte
	o.renew()  // what is left goes out when the handler returns
	if o.tools && o.stream {
		tail := r.Tail()
		if o.head == "" {
			tail = r.String()
		}
		o.rw.Header()[toolsHeader] = []string{tail}
	}
	return nil
}

// release gives back what the response holds; nothing may use it any more.
func (o *response) release() {
	if o.timer != nil {
		o.timer.Stop()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	if b := o.buf; b != nil && cap(*b) <= keptBuffer {
		*b = (*b)[:0]
		bufferPool.Put(b)
	}
	o.buf = nil
}

// sameMedia tells whether two content types differ in their parameters at most.
func sameMedia(a, b string) bool {
	a, _, _ = strings.Cut(a, ";")
	return strings.EqualFold(strings.TrimSpace(a), b)
}
