package words

import (
	"bytes"
	"slices"
	"strings"
)

// tagWords spells the tags of a syntax whose arguments are text between tags.
type tagWords struct {
	lead   string   // what stands before each tag
	spaces []string // what may stand before the name of a tag, the longest first
	call   string   // the name of a call's tag
	params []string // the names of a parameter's tag, the longest first
	opens  []string // tokens that open a frame
	marks  []string // tokens around a call that say nothing
	shuts  []string // tokens that end a block
	object objectUse
	inline bool // values aren't set apart from their tags by line ends
}

// startByte is the byte that every tag begins with.
func (s *tagWords) startByte() byte { return (s.lead + "<")[0] }

// objectUse says whether a JSON object may stand in place of the parameters.
type objectUse uint8

const (
	objectToo objectUse = iota
	objectFramed
	objectOnly
)

// frameWords are the names of the tags that stand around calls. Models mix them up.
var frameWords = []string{"tool_call", "tool_calls", "function_calls"}

const (
	maxTag = 256 // bytes of one tag
)

// spacers are what tokenizers leave in place of a space.
var spacers = []string{"Ġ", "▁"}

type tagKind uint8

const (
	tagNone tagKind = iota
	tagFrame
	tagFrameEnd
	tagMark // a token that says nothing
	tagCall
	tagCallEnd
	tagParam
	tagParamEnd
	tagPlain // a tag of any other name
	tagPlainEnd
)

// tag is one tag as it was read.
type tag struct {
	kind  tagKind
	size  int    // its bytes
	word  string // its own name
	name  string // what it names; "" if nothing
	typed string // "true" or "false" where it says whether the value is a string
	whole bool   // it closes itself
	loose bool   // it isn't spelled well: it counts only where a tag must stand
}

// read reads the tag that b begins with. Short of more bytes it may be partly so.
func (s *tagWords) read(b []byte, final bool) (tag, fit) {
	more := false
	for _, tokens := range []struct {
		kind  tagKind
		texts []string
	}{{tagFrame, s.opens}, {tagMark, s.marks}, {tagFrameEnd, s.shuts}} {
		for _, text := range tokens.texts {
			switch fits(b, text, final) {
			case wholly:
				return tag{kind: tokens.kind, size: len(text)}, wholly
			case partly:
				more = true
			}
		}
	}
	switch fits(b, s.lead+"<", final) {
	case partly:
		return tag{}, partly
	case wholly:
		t, f := s.angled(b, len(s.lead)+1, final)
		if f != not {
			return t, f
		}
	}
	if more {
		return tag{}, partly
	}
	return tag{}, not
}

// angled reads a tag from behind its bracket, which is b[at-1].
func (s *tagWords) angled(b []byte, at int, final bool) (tag, fit) {
	short := partly
	if final {
		short = not
	}
	shut := at < len(b) && b[at] == '/'
	if shut {
		at++
	}
	if at == len(b) {
		return tag{}, short
	}
	own := len(s.spaces) == 0
	for _, space := range s.spaces {
		f := fits(b[at:], space, final)
		if f == partly {
			return tag{}, partly
		}
		if own = f == wholly; own {
			at += len(space)
			break
		}
	}
	n := identifier(b[at:])
	if at+n == len(b) && n <= maxTag {
		return tag{}, short
	}
	if n == 0 || n > maxTag {
		return tag{}, not
	}
	word := string(b[at : at+n])
	at += n
	if shut {
		return s.shutTag(b, at, word, own, short)
	}
	return s.openTag(b, at, word, own, short)
}

// identifier is how many bytes at the beginning of b make a tag's name.
func identifier(b []byte) int {
	for i, c := range b[:min(len(b), maxTag+1)] {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '-' && c != '.' && c != ':' && (c < '0' || c > '9')) {
			return i
		}
	}
	return min(len(b), maxTag+1)
}

// plainWord is a tag's name without the namespace before it.
func plainWord(word string) string { return word[strings.LastIndexByte(word, ':')+1:] }

func (s *tagWords) shutTag(b []byte, at int, word string, own bool, short fit) (tag, fit) {
	for at < len(b) && at < maxTag && blank(b[at]) {
		at++
	}
	switch {
	case at == len(b):
		return tag{}, short
	case b[at] != '>':
		return tag{}, not
	}
	t := tag{kind: tagPlainEnd, size: at + 1, word: word}
	switch {
	case own && word == s.call:
		t.kind = tagCallEnd
	case own && slices.Contains(s.params, word):
		t.kind = tagParamEnd
	case slices.Contains(frameWords, plainWord(word)):
		t.kind = tagFrameEnd
	}
	return t, wholly
}

func (s *tagWords) openTag(b []byte, at int, word string, own bool, short fit) (tag, fit) {
	end := bytes.IndexAny(b[at:max(at, min(len(b), maxTag))], "><\n")
	if end < 0 {
		if len(b) >= maxTag {
			return tag{}, not
		}
		return tag{}, short
	}
	end += at
	t := tag{kind: tagPlain, size: end, word: word, loose: b[end] != '>'}
	if !t.loose {
		t.size++
	}
	inner := string(b[at:end])
	if rest, ok := strings.CutSuffix(inner, "/"); ok && !t.loose {
		inner, t.whole = rest, true
	}
	kind, joined := s.kindOf(word)
	switch {
	case slices.Contains(frameWords, plainWord(word)) && inner == "" && !t.loose:
		t.kind = tagFrame
	case own && kind != tagNone:
		t.kind, t.word = kind, word[:len(word)-len(joined)]
		if !t.reads(joined + inner) {
			return tag{}, not
		}
	case strings.TrimSpace(inner) != "" || t.loose:
		return tag{}, not
	}
	return t, wholly
}

// kindOf finds the tag that a word names. joined is what stands in it behind
// the name: models leave out the space, as in <functionadd> and <paramname="a">.
func (s *tagWords) kindOf(word string) (kind tagKind, joined string) {
	if rest, ok := strings.CutPrefix(word, s.call); ok && (rest == "" || len(rest) > 1 && rest[0] != '_') {
		return tagCall, rest
	}
	for _, p := range s.params {
		if rest, ok := strings.CutPrefix(word, p); ok && (rest == "" || rest == "name") {
			return tagParam, rest
		}
	}
	return tagNone, ""
}

// reads reads what stands in a tag behind its name: =NAME, or attributes, or
// the name alone.
func (t *tag) reads(inner string) bool {
	trimmed := strings.TrimSpace(inner)
	if name, ok := strings.CutPrefix(trimmed, "="); ok {
		if t.loose { // <parameter=a=1 says both the name and the value
			if i := strings.IndexByte(name, '='); i >= 0 {
				t.size -= len(inner) - strings.Index(inner, name) - i - 1
				name = name[:i]
			}
		}
		t.name = unquote(strings.TrimSpace(name))
		return t.name != ""
	}
	for _, s := range spacers {
		trimmed = strings.ReplaceAll(trimmed, s, " ")
	}
	trimmed = strings.TrimSpace(trimmed)
	if n := identifier([]byte(trimmed)); n == len(trimmed) {
		t.name, t.loose = trimmed, true
		return true
	}
	for trimmed != "" {
		key, value, rest, ok := attribute(trimmed)
		if !ok {
			return false
		}
		switch trimmed = rest; {
		case key == "name" && t.name == "":
			t.name = value
		case key == "name":
			return false
		case key == "string" && (value == "true" || value == "false"):
			t.typed = value
		}
	}
	return t.name != ""
}

// attribute reads key="value" at the beginning of s; the quotes may be missing.
func attribute(s string) (key, value, rest string, ok bool) {
	n := identifier([]byte(s))
	key = s[:n]
	rest, ok = strings.CutPrefix(strings.TrimSpace(s[n:]), "=")
	rest = strings.TrimSpace(rest)
	if !ok || n == 0 || rest == "" {
		return "", "", "", false
	}
	if q := rest[0]; q == '"' || q == '\'' {
		value, rest, ok = strings.Cut(rest[1:], string(q))
	} else {
		value, rest, _ = strings.Cut(rest, " ")
	}
	return key, value, strings.TrimSpace(rest), ok
}

func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : n-1]
	}
	return s
}
