package refusal

import (
	"strconv"
	"strings"
)

// pattern is how a sentence reads: words in lower case with ' for every quote,
// and between them … for anything on the same line, <tool> and <param> for a
// name, <index> for a tool's number, <n> for a number.
type pattern []piece

// piece is a gap and the words behind it. The first piece of a pattern may have
// no gap, the last no words.
type piece struct {
	gap   byte
	words string
}

const (
	noGap    = 0
	anything = '.'
	toolGap  = 't'
	paramGap = 'p'
	indexGap = 'i'
	countGap = 'n'

	maxGap  = 240 // bytes
	maxName = 300
)

var gaps = []struct {
	mark string
	gap  byte
}{{"…", anything}, {"<tool>", toolGap}, {"<param>", paramGap}, {"<index>", indexGap}, {"<n>", countGap}}

func compile(s string) (p pattern) {
	var gap byte
	for {
		at, next := len(s), -1
		for i, g := range gaps {
			if j := strings.Index(s, g.mark); j >= 0 && j < at {
				at, next = j, i
			}
		}
		if at > 0 || gap != noGap {
			p = append(p, piece{gap, s[:at]})
		}
		if next < 0 {
			return p
		}
		gap, s = gaps[next].gap, s[at+len(gaps[next].mark):]
		if s == "" {
			return append(p, piece{gap, ""})
		}
	}
}

// hit is where a pattern stands in a text, and what stands in its gaps.
type hit struct {
	from, to    int
	tool, param span
	index       int // -1: none
	counts      []int
}

type span struct{ from, to int }

func (s span) of(text string) string { return text[s.from:s.to] }

// in returns the first place where the pattern stands.
func (p pattern) in(low string) (hit, bool) {
	first := p[0].words
	for at := 0; ; {
		i := strings.Index(low[at:], first)
		if i < 0 {
			return hit{}, false
		}
		if h, ok := p.at(low, at+i); ok {
			return h, true
		}
		at += i + 1
	}
}

func (p pattern) at(low string, i int) (hit, bool) {
	h := hit{from: i, to: i + len(p[0].words), index: -1}
	if gap := p[0].gap; gap != noGap {
		fits := fitting(gap)
		for h.from > 0 && i-h.from < maxName && fits(low[h.from-1]) {
			h.from--
		}
		if h.from == i {
			return h, false
		}
		h.keep(gap, low, span{h.from, i})
	}
	if h.from > 0 && wordByte(low[h.from-1]) && wordByte(low[h.from]) {
		return h, false
	}
	for _, x := range p[1:] {
		if !h.step(low, x) {
			return h, false
		}
	}
	if h.to < len(low) && wordByte(low[h.to]) && wordByte(low[h.to-1]) {
		return h, false
	}
	return h, true
}

// step goes on over one gap and the words behind it.
func (h *hit) step(low string, x piece) bool {
	rest := low[h.to:]
	if x.gap == anything {
		rest = rest[:min(len(rest), maxGap+len(x.words))]
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			rest = rest[:i]
		}
		i := strings.Index(rest, x.words)
		h.to += i + len(x.words)
		return i >= 0
	}
	n, fits := 0, fitting(x.gap)
	for n < len(rest) && n < maxName && fits(rest[n]) {
		n++
	}
	if x.words == "" {
		n = len(strings.TrimRight(rest[:n], ".:,;-"))
	}
	if n == 0 || !strings.HasPrefix(rest[n:], x.words) {
		return false
	}
	h.keep(x.gap, low, span{h.to, h.to + n})
	h.to += n + len(x.words)
	return true
}

// fitting tells which bytes stand in a gap.
func fitting(gap byte) func(byte) bool {
	if gap == indexGap || gap == countGap {
		return digit
	}
	return nameByte
}

// keep notes what stands in a gap.
func (h *hit) keep(gap byte, low string, s span) {
	switch gap {
	case toolGap:
		h.tool = s
		return
	case paramGap:
		h.param = s
		return
	}
	n, err := strconv.Atoi(s.of(low))
	if err != nil {
		return
	}
	if gap == indexGap {
		h.index = n
	} else {
		h.counts = append(h.counts, n)
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// nameByte tells what names consist of; zero bytes stand for the request's own words.
func nameByte(c byte) bool {
	return wordByte(c) || c == 0 || strings.IndexByte(".$/:@-[]", c) >= 0
}
