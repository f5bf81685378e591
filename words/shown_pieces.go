package words

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A block repeats a text when its letters are laid out of few long pieces of
// the text's letters, with next to nothing between them.
const (
	maxPieces = 8
	minPiece  = 12 // letters
	maxGap    = 2  // letters between two pieces; none before the first and after the last
)

// laidOut reports whether block is laid out, in order, of so many pieces of text
// or fewer. Both are letters. It takes time linear in both. If open, the block
// goes on behind what is given, so the last piece may be too short to be seen.
func laidOut(block, text []byte, pieces int, open bool) bool {
	if !begins(block, text) {
		return false
	}
	n := utf8.RuneCount(block)
	longest := newAutomaton(block).longest(block, text)
	goal := n
	if open {
		goal = max(minPiece, n-minPiece-maxGap)
	}
	return lay(longest, goal, pieces)
}

// begins reports whether text holds what the first piece of block begins with:
// most blocks that aren't quoted are told apart by that.
func begins(block, text []byte) bool {
	return utf8.RuneCount(block) >= minPiece && bytes.Contains(text, block[:runeOffset(block, minPiece)])
}

// runeOffset is where the n-th rune of b begins.
func runeOffset(b []byte, n int) int {
	i := 0
	for ; n > 0; n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

// lay looks for pieces that lead from the first letter to goal or beyond.
// longest[e] is how many letters the longest piece has that ends before letter e.
func lay(longest []int32, goal, pieces int) bool {
	n := len(longest) - 1
	reached := make([]bool, n+1) // by the pieces so far
	reached[0] = true
	starts := make([]int32, n+2) // starts[i]: how many places below i a piece may start at
	gap := 0
	for range pieces {
		last := -1 - maxGap
		for i := range n + 1 {
			if reached[i] {
				last = i
			}
			starts[i+1] = starts[i]
			if last >= 0 && i-last <= gap {
				starts[i+1]++
			}
		}
		for e := range n + 1 {
			from, to := e-int(longest[e]), e-minPiece // where a piece that ends here may start
			reached[e] = to >= from && starts[to+1] > starts[from]
			if reached[e] && e >= goal {
				return true
			}
		}
		gap = maxGap
	}
	return false
}

// automaton is the suffix automaton of a block: the smallest machine that
// follows every piece of it, built in linear time (Blumer et al., 1985).
type automaton struct{ states []state }

type state struct {
	next [36]int32 // steps by the ASCII letters and digits; 0: none, as nothing leads to the start
	rest []edge    // steps by bytes beyond ASCII and by brackets
	len  int32     // of the longest piece that leads here
	link int32     // where its longest ending leads that occurs in more places; -1 at the start
}

type edge struct {
	by byte
	to int32
}

func newAutomaton(block []byte) *automaton {
	a := &automaton{states: make([]state, 1, 2*len(block))}
	a.states[0].link = -1
	last := int32(0)
	for _, c := range block {
		last = a.extend(last, c)
	}
	return a
}

func (a *automaton) step(s int32, c byte) int32 {
	if k := slot(c); k >= 0 {
		return a.states[s].next[k]
	}
	for _, e := range a.states[s].rest {
		if e.by == c {
			return e.to
		}
	}
	return 0
}

func (a *automaton) setStep(s int32, c byte, to int32) {
	if k := slot(c); k >= 0 {
		a.states[s].next[k] = to
		return
	}
	rest := a.states[s].rest
	for i := range rest {
		if rest[i].by == c {
			rest[i].to = to
			return
		}
	}
	a.states[s].rest = append(rest, edge{c, to})
}

func slot(c byte) int {
	switch {
	case c >= 'a' && c <= 'z':
		return int(c - 'a')
	case c >= '0' && c <= '9':
		return int(c-'0') + 26
	}
	return -1
}

// extend adds the byte c behind the whole that last stands for.
func (a *automaton) extend(last int32, c byte) int32 {
	cur := int32(len(a.states))
	a.states = append(a.states, state{len: a.states[last].len + 1})
	p := last
	for p >= 0 && a.step(p, c) == 0 {
		a.setStep(p, c, cur)
		p = a.states[p].link
	}
	if p < 0 {
		return cur
	}
	q := a.step(p, c)
	if a.states[q].len == a.states[p].len+1 {
		a.states[cur].link = q
		return cur
	}
	twin := a.split(p, q, c)
	a.states[cur].link = twin
	return cur
}

// split gives the shorter pieces that lead to q a state of their own.
func (a *automaton) split(p, q int32, c byte) int32 {
	twin := int32(len(a.states))
	s := a.states[q]
	s.len = a.states[p].len + 1
	s.rest = slices.Clone(s.rest)
	a.states = append(a.states, s)
	a.states[q].link = twin
	for p >= 0 && a.step(p, c) == q {
		a.setStep(p, c, twin)
		p = a.states[p].link
	}
	return twin
}

// longest tells for each place of block, counted in letters, how many letters
// the longest piece has that ends there and occurs in text.
func (a *automaton) longest(block, text []byte) []int32 {
	best := a.run(text)
	// A state without a match of its own ends as its link does.
	// Links lead to shorter pieces, so the order of lengths settles them.
	order := make([]int32, len(a.states))
	count := make([]int32, len(block)+2)
	for i := range a.states {
		count[a.states[i].len+1]++
	}
	for i := 1; i < len(count); i++ {
		count[i] += count[i-1]
	}
	for i := range a.states {
		l := a.states[i].len
		order[count[l]] = int32(i)
		count[l]++
	}
	for i := len(order) - 1; i > 0; i-- {
		s := order[i]
		if l := a.states[s].link; best[s] > 0 && l > 0 {
			best[l] = a.states[l].len
		}
	}
	for _, s := range order[1:] {
		if best[s] == 0 {
			best[s] = best[a.states[s].link]
		}
	}
	return a.perLetter(block, best)
}

// run sends text through and notes for each state the longest match that ended there.
func (a *automaton) run(text []byte) []int32 {
	best := make([]int32, len(a.states))
	s, n := int32(0), int32(0)
	for _, c := range text {
		to := a.step(s, c)
		for to == 0 && s > 0 {
			s = a.states[s].link
			n = a.states[s].len
			to = a.step(s, c)
		}
		if to == 0 {
			n = 0
			continue
		}
		s = to
		if n++; n > best[s] {
			best[s] = n
		}
	}
	return best
}

// perLetter turns lengths in bytes into lengths in whole letters.
func (a *automaton) perLetter(block []byte, best []int32) []int32 {
	before := make([]int32, len(block)+1) // letters that begin before a byte
	out := make([]int32, 1, len(block)+1)
	s := int32(0)
	for i, c := range block {
		s = a.step(s, c)
		before[i+1] = before[i]
		if utf8.RuneStart(c) {
			before[i+1]++
		}
		if i+1 < len(block) && !utf8.RuneStart(block[i+1]) {
			continue
		}
		from := i + 1 - int(best[s])
		for from <= i && !utf8.RuneStart(block[from]) {
			from++
		}
		out = append(out, before[i+1]-before[from])
	}
	return out
}
