package provider

import "time"

// Bounds limit one request to an upstream. A zero field takes the default.
type Bounds struct {
	Connect   time.Duration // to connect, and as long again for TLS; 10 s
	FirstByte time.Duration // from sending to the first byte of the answer's head; 300 s
	Silence   time.Duration // while the answer is waited for and nothing comes; 300 s
	Whole     time.Duration // of the whole request; 60 min
	Models    time.Duration // of the question which models there are; 3 s

	Text   int64 // bytes of words, thinking and arguments in one answer; 16 MB
	Body   int64 // bytes of an unstreamed reply, pictures and all; 64 MB
	Stream int64 // bytes of a stream on the wire, which repeats its frame with each token; 1 GB
	Error  int64 // bytes kept of a reply that is an error; 1 MB
	Header int64 // bytes of the answer's head; 64 KB
}

const megabyte = 1 << 20

// withDefaults returns b with every zero field filled.
func (b Bounds) withDefaults() Bounds {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&b.Connect, 10 * time.Second},
		{&b.FirstByte, 300 * time.Second},
		{&b.Silence, 300 * time.Second},
		{&b.Whole, time.Hour},
		{&b.Models, 3 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	for _, d := range []struct {
		field *int64
		value int64
	}{
		{&b.Text, 16 * megabyte},
		{&b.Body, 64 * megabyte},
		{&b.Stream, 1024 * megabyte},
		{&b.Error, megabyte},
		{&b.Header, 64 << 10},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	return b
}
