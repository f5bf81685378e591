package refusal

import (
	"bytes"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// maxText is how much of an answer is looked at, in bytes.
const maxText = 64 << 10

// texts joins all that a fault says: its own words and every text of the
// upstream's answer, be that JSON or not.
func texts(f *chat.Fault) string {
	parts := []string{f.Code, f.Text}
	if f.Wire != nil {
		body := f.Wire.Body[:min(len(f.Wire.Body), maxText)]
		if rawjson.Valid(body, rawjson.MaxDepth) == nil {
			eachText(body, 2, func(s string) { parts = append(parts, s) })
		} else {
			parts = append(parts, string(body))
		}
	}
	return strings.Join(parts, "\n")
}

// Said is all that a fault says, as text.
func Said(f *chat.Fault) string { return texts(f) }

// eachText calls f with every string value of b, at any depth, and with those
// of JSON texts within, as gateways pass on what others told them.
func eachText(b []byte, within int, f func(string)) {
	b = bytes.TrimSpace(b)
	switch rawjson.Kind(b) {
	case '{':
		_ = rawjson.Members(b, func(_, v []byte) bool {
			eachText(v, within, f)
			return true
		})
	case '[':
		_ = rawjson.Elements(b, func(v []byte) bool {
			eachText(v, within, f)
			return true
		})
	case '"':
		s, err := rawjson.String(b)
		if err != nil {
			return
		}
		f(s)
		if inner := []byte(s); within > 0 && rawjson.Kind(inner) == '{' && rawjson.Valid(inner, rawjson.MaxDepth) == nil {
			eachText(inner, within-1, f)
		}
	}
}

// plain puts a text into the form in which rows are written.
func plain(s string) string {
	s = strings.NewReplacer("’", "'", "‘", "'", "`", "'", "\u00a0", " ").Replace(strings.ToLower(s))
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

// paramBehind is the first name behind some words: unsupported parameter(s): 'x'.
func paramBehind(said, match string) string {
	_, rest, _ := strings.Cut(said, match)
	rest = strings.TrimLeft(rest, " '\"")
	end := strings.IndexFunc(rest, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	if end < 0 {
		end = len(rest)
	}
	return rest[:end]
}

// words are the request's own, which an error may only be repeating.
type words struct {
	phrases []string        // of several words, the longest first
	single  map[string]bool // of one word
}

const (
	maxPhrase  = 4 << 10
	maxPhrases = 20_000
)

func wordsOf(q *chat.Request) *words {
	w := &words{single: map[string]bool{}}
	w.add(q.Model)
	w.add(q.Choice.Name)
	for _, t := range q.Tools {
		w.add(t.Name)
		w.add(t.Description)
		w.schema(t.Schema)
	}
	w.parts(q.System)
	for _, m := range q.Messages {
		w.parts(m.Parts)
	}
	slices.SortFunc(w.phrases, func(a, b string) int { return len(b) - len(a) })
	return w
}

func (w *words) parts(ps []chat.Part) {
	for _, p := range ps {
		switch p := p.(type) {
		case chat.Text:
			w.add(p.Text)
		case chat.Call:
			w.add(p.Name)
		case chat.Result:
			w.parts(p.Parts)
		}
	}
}

// schema adds every key and text of a tool's schema.
func (w *words) schema(b []byte) {
	if rawjson.Valid(b, rawjson.MaxDepth) != nil {
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
	if s = strings.TrimSpace(s); s == "" || len(s) > maxPhrase || len(w.phrases) >= maxPhrases {
		return
	}
	s = plain(s)
	if strings.ContainsAny(s, " \n") {
		w.phrases = append(w.phrases, s)
		return
	}
	w.single[s] = true
}

// mask takes the request's phrases out of a text. Single words stay: a tool
// may be named "tools", and no single word is a refusal.
func (w *words) mask(said string) string {
	for _, p := range w.phrases {
		if strings.Contains(said, p) {
			said = strings.ReplaceAll(said, p, "\x00")
		}
	}
	return said
}

// hold reports whether the request has every word of a phrase as a text of its
// own, so that a list of them could read like it.
func (w *words) hold(phrase string) bool {
	for _, word := range strings.Fields(phrase) {
		if !w.single[word] {
			return false
		}
	}
	return true
}
