package args

import (
	"slices"
	"strings"
	"sync"
)

// Bounds on what is kept of a conversation.
const (
	maxTokens = 200_000 // different tokens; with more, none counts as the beginning of another
	maxMarks  = 20_000  // lines with an ellipsis, in all their forms
)

// Seen is what guards know of the conversation: the words of earlier turns.
// Nothing is read before the first question. It is safe for concurrent use;
// nil knows nothing.
type Seen struct {
	texts []string

	tokensOnce sync.Once
	tokens     []string // all, sorted
	ids        []string // those that look like ids, sorted
	full       bool     // there are more than maxTokens

	marksOnce sync.Once
	marks     map[string]bool // lines with an ellipsis, without the space around them
}

// NewSeen keeps the texts of a conversation, oldest first.
func NewSeen(texts []string) *Seen { return &Seen{texts: texts} }

// tokenEnds are letters of a token that more often belong to the sentence
// around it when they stand at its ends.
const tokenEnds = ".:/-_"

func tokenByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) || strings.IndexByte(tokenEnds, c) >= 0
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// minToken is how long a token is at least.
const minToken = 4

// idLike reports whether a token looks like an id: eight letters or more, with a digit.
func idLike(token string) bool { return len(token) >= 8 && strings.ContainsAny(token, "0123456789") }

func (s *Seen) index() {
	seen := map[string]struct{}{}
	add := func(token string) {
		token = strings.Trim(token, tokenEnds)
		if _, ok := seen[token]; ok || len(token) < minToken {
			return
		}
		if len(seen) == maxTokens {
			s.full = true
			return
		}
		seen[token] = struct{}{}
		s.tokens = append(s.tokens, token)
		if idLike(token) {
			s.ids = append(s.ids, token)
		}
	}
	for _, text := range s.texts {
		for i := 0; i < len(text) && !s.full; {
			from := i
			for i < len(text) && tokenByte(text[i]) {
				i++
			}
			addParts(text[from:i], add)
			if i == from {
				i++
			}
		}
	}
	slices.Sort(s.tokens)
	slices.Sort(s.ids)
}

// addParts adds a token and what stands in it behind a slash or a colon: of an
// address its last step may be the id, and of type:id what follows.
func addParts(token string, add func(string)) {
	const maxParts = 8
	add(token)
	for n := 0; n < maxParts; n++ {
		i := strings.IndexAny(token, "/:")
		if i < 0 {
			return
		}
		if token = strings.TrimLeft(token[i:], "/:"); token != "" {
			add(token)
		}
	}
}

// whole reports whether a token stood there as it is, or as a whole part of
// something longer: a step of a path, a file's name without its ending, what
// stands before a line's number.
func (s *Seen) whole(token string) bool {
	if _, ok := slices.BinarySearch(s.tokens, token); ok {
		return true
	}
	return s.continued(token+"/", func(string) bool { return true }) ||
		s.continued(token+".", func(rest string) bool {
			return len(rest) <= 5 && strings.Trim(rest, "0123456789") != "" && !strings.ContainsAny(rest, tokenEnds)
		}) ||
		s.continued(token+":", func(rest string) bool { return strings.Trim(rest, "0123456789:") == "" })
}

// begins reports whether an id begins with token and goes on.
func (s *Seen) begins(token string) bool {
	i, exact := slices.BinarySearch(s.ids, token)
	if exact {
		i++
	}
	return i < len(s.ids) && strings.HasPrefix(s.ids[i], token)
}

// continued reports whether an id is the prefix and a rest that f takes. Few
// are looked at: it is about one id, not about a place where many begin alike.
func (s *Seen) continued(prefix string, f func(rest string) bool) bool {
	const few = 16
	i, _ := slices.BinarySearch(s.ids, prefix)
	for n := 0; n < few && i+n < len(s.ids); n++ {
		rest, ok := strings.CutPrefix(s.ids[i+n], prefix)
		if !ok {
			return false
		}
		if f(rest) {
			return true
		}
	}
	return false
}

// cutID returns an id that was cut short, or "". It ends in an ellipsis or a
// broken letter, or an id that stood in the conversation begins with it while
// it never stood there itself.
func (s *Seen) cutID(value string) string {
	value = strings.TrimSpace(value)
	for _, end := range []string{"\uFFFD", "…", "⋯", "..."} {
		if strings.HasSuffix(value, end) {
			return value
		}
	}
	token := strings.Trim(value, tokenEnds)
	if s == nil || !distinct(token) {
		return ""
	}
	s.tokensOnce.Do(s.index)
	if s.full || s.whole(token) || !s.begins(token) {
		return ""
	}
	return value
}

// distinct reports whether a value says enough for its likeness to a longer one
// not to be chance: a word isn't an id that was cut, nor is a short number.
func distinct(token string) bool {
	digits, upper, lower := 0, 0, 0
	for i := range len(token) {
		switch c := token[i]; {
		case !tokenByte(c):
			return false
		case digit(c):
			digits++
		case c >= 'a' && c <= 'z':
			lower++
		case i > 0 && c >= 'A' && c <= 'Z':
			upper++
		}
	}
	first := 0
	if token != "" && token[0] >= 'A' && token[0] <= 'Z' {
		first = 1
	}
	switch n := len(token); n {
	case digits:
		return n >= 6
	case first + lower, first + upper:
		return false
	default:
		return n >= minToken
	}
}

// stood reports whether a line with an ellipsis stood in the conversation, with
// or without what tools put before lines.
func (s *Seen) stood(line string) bool {
	if s == nil {
		return false
	}
	s.marksOnce.Do(func() {
		s.marks = map[string]bool{}
		for _, t := range s.texts {
			addMarks(s.marks, t)
		}
	})
	return s.marks[line]
}

// addMarks adds the lines of a text that hold an ellipsis. A result in JSON has
// its line ends escaped; numbers and marks before a line may be a tool's.
func addMarks(to map[string]bool, text string) {
	const maxPrefix = 20
	for line := range strings.Lines(text) {
		if len(to) >= maxMarks {
			return
		}
		if !hasEllipsis(line) {
			continue
		}
		for _, part := range strings.Split(strings.ReplaceAll(line, `\r`, ""), `\n`) {
			part = trim(strings.ReplaceAll(part, `\t`, "\t"))
			if len(part) > maxPrefix+maxElision || !hasEllipsis(part) {
				continue
			}
			for i, c := range part {
				if i > maxPrefix || len(to) >= maxMarks {
					break
				}
				to[trim(part[i:])] = true
				if !strings.ContainsRune("0123456789 \t→│|:>+-L", c) {
					break
				}
			}
		}
	}
}
