package refusal

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// words are the request's own, which an error may only be repeating.
type words struct {
	phrases []string        // of several words, the longest first
	single  map[string]bool // the words of texts that are one word
}

const (
	maxPhrases = 20_000
	// begun is how much of a phrase's beginning or end is known for it, in bytes.
	begun = 16
)

func wordsOf(q *chat.Request) *words {
	w := &words{single: map[string]bool{}}
	w.add(q.Model)
	w.add(q.Choice.Name)
	for _, t := range q.Tools {
		w.add(t.Name)
		w.add(t.Description)
		w.json(t.Schema)
	}
	if q.Format != nil {
		w.add(q.Format.Name)
		w.json(q.Format.Schema)
	}
	for _, s := range q.Sampling.Stop {
		w.add(s)
	}
	w.parts(q.System)
	for _, m := range q.Messages {
		w.parts(m.Parts)
	}
	slices.Sort(w.phrases)
	w.phrases = slices.Compact(w.phrases)
	slices.SortStableFunc(w.phrases, func(a, b string) int { return len(b) - len(a) })
	return w
}

func (w *words) parts(ps []chat.Part) {
	for _, p := range ps {
		switch p := p.(type) {
		case chat.Text:
			w.add(p.Text)
		case chat.Reasoning:
			w.add(p.Text)
		case chat.Call:
			w.add(p.ID)
			w.add(p.Name)
			w.json(p.Args)
		case chat.Result:
			w.add(p.ID)
			w.parts(p.Parts)
		case chat.Opaque:
			w.json(p.Raw)
		}
	}
}

// json adds every key and text of a JSON value.
func (w *words) json(b []byte) {
	if len(b) == 0 {
		return
	}
	if rawjson.Valid(b, rawjson.MaxDepth) != nil {
		w.add(string(b))
		return
	}
	var keys func(b []byte)
	keys = func(b []byte) {
		switch rawjson.Kind(b) {
		case '{':
			_ = rawjson.Members(b, func(k, v []byte) bool {
				w.add(string(k))
				keys(v)
				return true
			})
		case '[':
			_ = rawjson.Elements(b, func(v []byte) bool {
				keys(v)
				return true
			})
		}
	}
	keys(b)
	eachText(b, 0, w.add)
}

func (w *words) add(s string) {
	if s == "" || len(w.phrases) >= maxPhrases {
		return
	}
	if len(s) > 2*maxSaid { // a fault can hold no more of it than one of its ends
		w.add(strings.ToValidUTF8(s[:maxSaid], ""))
		s = strings.ToValidUTF8(s[len(s)-maxSaid:], "")
	}
	s = strings.TrimSpace(strings.ToLower(plain([]string{s})))
	switch {
	case s == "":
	case strings.Contains(s, " "):
		w.phrases = append(w.phrases, s)
	default:
		eachWord(s, func(word string) bool {
			w.single[word] = true
			return true
		})
	}
}

// mask returns a text of the same length with zero bytes where it repeats one
// of the request's phrases: the whole, or its beginning or end beside an
// ellipsis. Texts of one word stay: a tool may be named "tools".
func (w *words) mask(low string) string {
	b := []byte(low)
	masked := false
	take := func(s span) {
		clear(b[s.from:s.to])
		masked = true
	}
	for _, p := range w.phrases {
		eachPlace(low, p[:min(len(p), begun)], func(i int) {
			n := min(begun, len(p))
			for n < len(p) && i+n < len(low) && low[i+n] == p[n] {
				n++
			}
			if rest := strings.TrimPrefix(low[i+n:], " "); n == len(p) || cut(rest[:min(len(rest), 3)]) {
				take(span{i, i + n})
			}
		})
		if len(p) <= begun {
			continue
		}
		eachPlace(low, p[len(p)-begun:], func(i int) {
			n, end := begun, i+begun
			for n < len(p) && n < end && low[end-n-1] == p[len(p)-n-1] {
				n++
			}
			if before := strings.TrimSuffix(low[:end-n], " "); cut(before[max(0, len(before)-3):]) {
				take(span{end - n, end})
			}
		})
	}
	if !masked {
		return low
	}
	return string(b)
}

// cut tells that three bytes say that something was left out.
func cut(s string) bool { return s == "..." || s == "…" }

func eachPlace(s, of string, f func(i int)) {
	for at := 0; ; {
		i := strings.Index(s[at:], of)
		if i < 0 {
			return
		}
		f(at + i)
		at += i + len(of)
	}
}

// hold reports whether every word of a stretch is a text of the request, so
// that a list of them could read like it. Numbers are nobody's.
func (w *words) hold(low string, from, to int) bool {
	for from > 0 && wordByte(low[from-1]) && wordByte(low[from]) {
		from--
	}
	for to < len(low) && wordByte(low[to]) && wordByte(low[to-1]) {
		to++
	}
	held := true
	eachWord(low[from:to], func(word string) bool {
		held = w.single[word] || strings.Trim(word, "0123456789") == ""
		return held
	})
	return held
}

// eachWord calls f with each word, until it returns false.
func eachWord(s string, f func(string) bool) {
	for i := 0; i < len(s); {
		if !wordByte(s[i]) {
			i++
			continue
		}
		j := i
		for j < len(s) && wordByte(s[j]) {
			j++
		}
		if !f(s[i:j]) {
			return
		}
		i = j
	}
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
