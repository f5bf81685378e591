package words

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Tools put things of their own into what they show: before lines, between
// them, inside them. A view is a text without one kind of them. Views only add
// to what is compared, the text as it is always counts too: so nothing that is
// taken out here can hide anything. Each is taken of the block as well, since
// what looks like a tool's addition may be the call's own.

// eachLine calls f with every line of text, without its end.
func eachLine(text []byte, f func(line []byte)) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		f(line)
		text = rest
	}
}

// withoutPrefixes takes out what tools put before lines.
func withoutPrefixes(text []byte) []byte {
	out := make([]byte, 0, len(text))
	eachLine(text, func(line []byte) {
		out = append(append(out, line[linePrefix(line):]...), '\n')
	})
	return out
}

// prefixRules each tell how many bytes of a line one kind of prefix takes.
var prefixRules = [...]func(line []byte) int{blamePrefix, pathPrefix, numberPrefix}

// linePrefix tells how many bytes at the start of a line a tool has put there:
// marks (a quote's, a diff's, a table's) and up to three others between them.
func linePrefix(line []byte) int {
	at := marks(line)
	for range prefixRules {
		n := 0
		for _, rule := range prefixRules {
			if n = rule(line[at:]); n > 0 {
				break
			}
		}
		if n == 0 {
			break
		}
		at += n
		at += marks(line[at:])
	}
	return at
}

func marks(line []byte) int {
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case strings.IndexByte(" \t\r>+-|", c) >= 0:
			i++
		case bar(line[i:]):
			i += len("│")
		default:
			return i
		}
	}
	return i
}

func bar(b []byte) bool {
	return bytes.HasPrefix(b, []byte("│")) || bytes.HasPrefix(b, []byte("┃"))
}

func digits(b []byte) int {
	i := 0
	for i < len(b) && i < 10 && isDigit(b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberPrefix knows line numbers: 12→ 12: 12| 12) [12] L12: and 12 with space behind it.
func numberPrefix(line []byte) int {
	i := 0
	if len(line) > 0 && strings.IndexByte("[(L#", line[0]) >= 0 {
		i = 1
	}
	n := digits(line[i:])
	if n == 0 {
		return 0
	}
	i += n
	bare := i
	if i < len(line) && (line[i] == ']' || line[i] == ')') {
		i++
	}
	for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
		i++
	}
	switch rest := line[i:]; {
	case bytes.HasPrefix(rest, []byte("→")):
		return i + len("→")
	case bar(rest):
		return i + len("│")
	case len(rest) > 0 && strings.IndexByte(":|-+>=.", rest[0]) >= 0:
		return i + 1
	case i == bare:
		return 0
	}
	return i
}

// pathPrefix knows what a search puts before a line: path:12: path-12- path:12:3: path:
func pathPrefix(line []byte) int {
	named := false // it looks like a path even without a number
	for i := 0; i < len(line) && i < 300; i++ {
		switch c := line[i]; {
		case strings.IndexByte("\"'`{}<>()[]=,;", c) >= 0 || c <= ' ':
			return 0
		case c == '.' || c == '/':
			named = true
		case (c == ':' || c == '-') && i > 0:
			n := digits(line[i+1:])
			end := i + 1 + n
			if n > 0 && end < len(line) && line[end] == c {
				end++
				if n = digits(line[end:]); n > 0 && end+n < len(line) && line[end+n] == c {
					end += n + 1
				}
				return end
			}
			if c == ':' && named {
				return i + 1
			}
		}
	}
	return 0
}

// blamePrefix knows git blame's: a1b2c3d4 path (Jane Doe 2026-01-02 10:11:12 +0000 12)
func blamePrefix(line []byte) int {
	i := 0
	if len(line) > 0 && line[0] == '^' {
		i = 1
	}
	from := i
	for i < len(line) && hexValue(line[i]) >= 0 {
		i++
	}
	if i-from < 6 || i >= len(line) || line[i] != ' ' {
		return 0
	}
	open := false
	for ; i < len(line) && i < 300; i++ {
		switch c := line[i]; {
		case c == '(':
			open = true
		case c == ')' && open && isDigit(line[i-1]):
			return i + 1
		}
	}
	return 0
}

// withoutSharedPrefixes takes out what a line has in common with its
// neighbours, numbers counted as alike: the prefixes of tools that nobody listed.
func withoutSharedPrefixes(text []byte) []byte {
	out := make([]byte, 0, len(text))
	var line []byte
	before, first := 0, true // what line shares with the one before
	flush := func(after int) {
		n := max(before, after)
		if before > 0 && after > 0 {
			n = min(before, after)
		}
		out = append(append(out, line[n:]...), '\n')
	}
	eachLine(text, func(next []byte) {
		shared, of := sharedPrefix(line, next)
		if !first {
			flush(shared)
		}
		line, before, first = next, of, false
	})
	if !first {
		flush(0)
	}
	return out
}

// sharedPrefix tells how many bytes of a and of b are their common beginning.
// It ends between words, and one of less than three bytes is none.
func sharedPrefix(a, b []byte) (ofA, ofB int) {
	i, j := 0, 0
	for i < len(a) && j < len(b) && i < 300 {
		if isDigit(a[i]) && isDigit(b[j]) {
			i, j = i+digits(a[i:]), j+digits(b[j:])
			ofA, ofB = i, j
			continue
		}
		if a[i] != b[j] {
			break
		}
		i, j = i+1, j+1
		if !alnum(a[i-1]) && a[i-1] != '_' && a[i-1] < utf8.RuneSelf {
			ofA, ofB = i, j
		}
	}
	if ofA < 3 || ofB < 3 {
		return 0, 0
	}
	return ofA, ofB
}

// joined puts a wrapped text's lines together, where one of them ends inside
// an escape: read through again, that escape counts. nil where none does.
func joined(text []byte) []byte {
	if !splitEscape(text) {
		return nil
	}
	out := make([]byte, 0, len(text))
	eachLine(text, func(line []byte) {
		out = append(out, line[linePrefix(line):]...)
	})
	return readThrough(out)
}

func splitEscape(text []byte) bool {
	for at := 0; ; at++ {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			return false
		}
		at += n
		for i := at - 1; i >= 0 && at-i < 12; i-- {
			if c := text[i]; opensEscape[c] > 0 {
				return true
			} else if !alnum(c) && c != '#' {
				break
			}
		}
	}
}
