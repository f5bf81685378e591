package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// recorder is a transport that keeps what goes to an upstream and what comes back.
type recorder struct {
	next http.RoundTripper

	mu    sync.Mutex
	trips []*recorded
}

type recorded struct {
	Path        string
	Request     []byte
	ContentType string
	mu          sync.Mutex
	response    bytes.Buffer
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	t := &recorded{Path: q.URL.Path}
	if q.Body != nil {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		_ = q.Body.Close()
		t.Request = body
		q = q.Clone(q.Context())
		q.Body = io.NopCloser(bytes.NewReader(body))
	}
	resp, err := r.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	t.ContentType = resp.Header.Get("Content-Type")
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(resp.Body, t), resp.Body}
	if t.Request != nil { // a question for the models is no part of the story
		r.mu.Lock()
		r.trips = append(r.trips, t)
		r.mu.Unlock()
	}
	return resp, nil
}

// take returns what has been recorded since the last take.
func (r *recorder) take() []*recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	ts := r.trips
	r.trips = nil
	return ts
}

func (t *recorded) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.response.Write(p)
}

// Response returns the bytes that have come so far.
func (t *recorded) Response() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.response.Bytes())
}
