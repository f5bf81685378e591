package refusal

import (
	"bytes"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// maxText is how much of an answer is looked at, in bytes; maxSaid is how much
// of its words is.
const (
	maxText = 64 << 10
	maxSaid = 32 << 10
)

// said is what a provider said, each of its texts on a line of its own.
type said struct {
	words string // as it stood, quotes and spaces in one form
	low   string // in lower case, of the same length
}

func newSaid(f *chat.Fault) said {
	s := said{words: plain(texts(f))}
	s.low = strings.ToLower(s.words)
	if len(s.low) != len(s.words) {
		s.words = s.low // a few letters are longer in lower case: places matter more than case
	}
	return s
}

// texts are all that a fault says: its own words and every text of the
// upstream's answer, be that JSON or not.
func texts(f *chat.Fault) []string {
	parts := []string{f.Code, f.Text}
	if f.Wire != nil {
		body := f.Wire.Body[:min(len(f.Wire.Body), maxText)]
		if rawjson.Valid(body, rawjson.MaxDepth) == nil {
			eachText(body, 2, func(s string) { parts = append(parts, s) })
		} else {
			parts = append(parts, string(body))
		}
	}
	return parts
}

// Said is all that a fault says, in lower case, with one form of quotes and spaces.
func Said(f *chat.Fault) string { return newSaid(f).low }

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

// marks brings quotes to one form, also where a text stands escaped in another.
var marks = strings.NewReplacer(
	`\"`, "'", `\'`, "'", `\n`, " ", `"`, "'", "`", "'", "’", "'", "‘", "'", "“", "'", "”", "'", "\u00a0", " ")

// plain puts texts into the form in which rows are written: a line each, single
// spaces, one kind of quotes.
func plain(texts []string) string {
	var b strings.Builder
	for _, s := range texts {
		if b.Len() > maxSaid {
			break
		}
		for i, w := range strings.Fields(marks.Replace(s[:min(len(s), maxText)])) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
		b.WriteByte('\n')
	}
	s := strings.ToValidUTF8(b.String(), "\ufffd")
	return s[:min(len(s), maxSaid)]
}

// wordless tells that an answer has no words of its own: it is empty, or a page.
func wordless(body []byte) bool {
	b := bytes.TrimSpace(body)
	return len(b) == 0 || b[0] == '<'
}
