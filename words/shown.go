package words

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
)

// Bounds on the comparison of blocks.
const (
	maxBlocks       = 32       // blocks that are laid out piece by piece
	maxBlockLetters = 64 << 10 // bytes of a block's letters that are compared

	minKey = 6 // bytes of a key that is looked for by its letters too: shorter ones occur by chance
)

// Shown is what a model was shown before it spoke: system and user text, tool
// results, documents, the tools' descriptions and schemas, its own earlier text
// and reasoning. Ferrule's own words and the calls of earlier turns are no part
// of it: doing a thing again is normal.
//
// A Shown belongs to one request and is used by one goroutine.
type Shown struct {
	q *chat.Request

	parts  []string        // in order; nil: not collected yet
	text   []byte          // the parts, read through
	marked []byte          // text without markup
	views  [2]views        // letters, without and with brackets
	calls  map[string]bool // those that stand in it; nil: not looked for yet
	laid   int             // blocks laid out
	known  map[string]bool // what was found of a block, by its letters
}

// NewShown notes what q shows: the client's request, before anything of ours is
// put into it. Nothing is read before the first question.
func NewShown(q *chat.Request) *Shown { return &Shown{q: q} }

// Holds reports whether s stands literally in what was shown. The empty text doesn't.
func (s *Shown) Holds(text string) bool {
	if text == "" {
		return false
	}
	for _, p := range s.collect() {
		if strings.Contains(p, text) {
			return true
		}
	}
	return false
}

// Quoted reports whether w repeats what the model was shown: then it is text,
// not a call. It must be asked before anything is mended. A call that carries
// this request's own key is meant, and never quoted.
//
// A block counts as quoted when its letters are laid out of a few long pieces
// of what was shown, when a call with its name and arguments can be read there,
// or when the key that it carries stands there. Of a block with more than 64 KB
// of letters the first 64 KB decide. At most 32 blocks of one request are laid
// out (a block that doesn't begin as something shown needs none); one more is
// taken as quoted, since what can't be compared mustn't run.
func (s *Shown) Quoted(w chat.Written) bool {
	switch {
	case w.Live:
		return false
	case s.Holds(w.Key) || len(w.Key) >= minKey && s.spells(w.Key):
		return true
	case len(w.Raw) > 0 && s.repeats(w):
		return true
	}
	return s.reads(w)
}

// collect lists everything that was shown.
func (s *Shown) collect() []string {
	if s.parts != nil {
		return s.parts
	}
	s.parts = []string{}
	s.add(s.q.System)
	for _, m := range s.q.Messages {
		s.add(m.Parts)
	}
	for _, t := range s.q.Tools {
		s.parts = append(s.parts, t.Description, string(t.Schema))
	}
	return s.parts
}

func (s *Shown) add(parts []chat.Part) {
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			s.parts = append(s.parts, p.Text)
		case chat.Reasoning:
			s.parts = append(s.parts, p.Text)
		case chat.Result:
			s.add(p.Parts)
		case chat.Opaque:
			s.parts = append(s.parts, string(p.Raw))
		}
	}
}

// The views in which shown is compared.
const (
	plainView  = iota
	lineView   // without what stands before lines
	markupView // without markup
	bothView   // without either
	sharedView // without what neighbouring lines have in common
	joinedView // with wrapped lines put together
	lastView
)

// views are the letters of a text in each view, made when they are asked for.
type views struct {
	letters [lastView][]byte
	done    [lastView]bool
}

// view returns the letters of one view; nil where it adds nothing to the others.
func (s *Shown) view(v int, brackets bool) []byte {
	vs := &s.views[0]
	if brackets {
		vs = &s.views[1]
	}
	if vs.done[v] {
		return vs.letters[v]
	}
	vs.done[v] = true
	if s.text == nil {
		s.read()
	}
	if (v == markupView || v == bothView) && len(s.marked) == len(s.text) {
		return nil // there is none
	}
	l := lettersOf(viewed(v, s.text, s.marked), brackets)
	if v == lastView-1 {
		s.text, s.marked = nil, nil // views are asked for in order: none is left that needs them
	}
	for o := range v {
		if bytes.Equal(s.view(o, brackets), l) {
			return nil
		}
	}
	vs.letters[v] = l
	return l
}

// viewed returns a text in one view; marked is the text without markup.
func viewed(v int, text, marked []byte) []byte {
	switch v {
	case lineView:
		return withoutPrefixes(text)
	case markupView:
		return marked
	case bothView:
		return withoutPrefixes(marked)
	case sharedView:
		return withoutSharedPrefixes(marked)
	case joinedView:
		return joined(marked)
	}
	return text
}

func (s *Shown) read() {
	s.text = readThrough([]byte(strings.Join(s.collect(), "\n")))
	s.marked = readMarkup(s.text)
}

// spells reports whether the letters of text stand in what was shown in some view.
func (s *Shown) spells(text string) bool {
	l := letters(text, false)
	for v := range lastView {
		if len(l) > 0 && bytes.Contains(s.view(v, false), l) {
			return true
		}
	}
	return false
}

// repeats reports whether the block of w is laid out of pieces of what was shown.
func (s *Shown) repeats(w chat.Written) bool {
	block := readThrough(toLastArgument(w))
	brackets := wordless(w.Syntax)
	plain := lettersOf(block, brackets)
	pieces, key := maxPieces, string(plain)
	if argless(w) {
		// A frame from here and a name from there are no call that was shown.
		pieces, key = 1, "\x00"+key
	}
	if was, ok := s.known[key]; ok {
		return was
	}
	quoted := s.laidOut(plain, block, pieces, brackets)
	if s.known == nil {
		s.known = map[string]bool{}
	}
	s.known[key] = quoted
	return quoted
}

// argless reports whether a call was read and has no arguments.
func argless(w chat.Written) bool {
	if w.Why != "" || w.Cut {
		return false
	}
	return w.JSON == nil && w.Params != nil && len(w.Params) == 0 || string(bytes.TrimSpace(w.JSON)) == "{}"
}

// laidOut compares a block with every view of what was shown, as it is and with
// the same things taken out of it.
func (s *Shown) laidOut(plain, block []byte, pieces int, brackets bool) bool {
	marked := readMarkup(block)
	counted := false
	for v := range lastView {
		form := marked // in the views that only what was shown has
		if v < sharedView {
			form = viewed(v, block, marked)
		}
		same := lettersOf(form, brackets)
		text := s.view(v, brackets)
		for i, l := range [...][]byte{plain, same} {
			if i > 0 && bytes.Equal(l, plain) {
				continue
			}
			l, open := head(l)
			if !begins(l, text) {
				continue
			}
			if !counted {
				counted = true
				if s.laid++; s.laid > maxBlocks {
					return true
				}
			}
			if laidOut(l, text, pieces, open) {
				return true
			}
		}
	}
	return false
}

// Wordless is a Form whose frame holds no word, so that brackets count as
// letters when its blocks are compared: [f()] has only one letter to know it by.
type Wordless interface{ Wordless() bool }

func wordless(syntax string) bool {
	for _, r := range readOrder() {
		if w, ok := r.form.(Wordless); ok && r.form.Name() == syntax {
			return w.Wordless()
		}
	}
	return false
}

// head cuts the letters of a block to what is compared; open tells that it did.
func head(l []byte) (_ []byte, open bool) {
	if len(l) <= maxBlockLetters {
		return l, false
	}
	n := maxBlockLetters
	for !utf8.RuneStart(l[n]) {
		n--
	}
	return l[:n], true
}

// toLastArgument returns the block up to the last byte of its arguments, since
// a model may end it otherwise than what it repeats did.
func toLastArgument(w chat.Written) []byte {
	value := w.JSON
	if n := len(w.Params); n > 0 {
		value = []byte(w.Params[n-1].Text)
	}
	at := -1
	if len(value) > 0 {
		at = bytes.LastIndex(w.Raw, value)
	}
	if at < 0 {
		return withoutClosers(w.Raw, w.Name)
	}
	end := at + len(value)
	if name := []byte(w.Name); !bytes.Contains(w.Raw[:at], name) {
		// The name stands behind the arguments: it is part of what was said.
		if i := bytes.Index(w.Raw[end:], name); i >= 0 {
			end += i + len(name)
		}
	}
	return w.Raw[:end]
}

// withoutClosers cuts closing tags, fences and space off the end. A tag that
// says the name is none of them.
func withoutClosers(b []byte, name string) []byte {
	for {
		b = bytes.TrimRight(b, " \t\r\n`")
		i := bytes.LastIndexByte(b, '<')
		if i < 0 || len(b)-i > 64 || !bytes.HasSuffix(b, []byte(">")) || bytes.ContainsAny(b[i+1:len(b)-1], "<>\"'{} \n") || name != "" && bytes.Contains(b[i:], []byte(name)) {
			return b
		}
		b = b[:i]
	}
}
