package tokens

import (
	"unicode"
	"unicode/utf8"
)

// class is how a rune is looked at. Runs of those before script are counted
// together, the others rune by rune.
type class uint8

const (
	blank class = iota
	latin
	figure
	sign // of ASCII
	script
	chinese
	syllable
	korean
	strange
)

// kindOf is what a rune of its own is counted as.
var kindOf = [...]int{script: letter, chinese: han, syllable: kana, korean: hangul, strange: other}

// What one token takes of a run.
const (
	marksIn  = 4
	blanksIn = 16
)

// Letters of a word that weigh nothing more than the word, and those that don't weigh much.
const (
	shortWord  = 5
	middleWord = 9
)

// counts are how much of each kind a text holds.
type counts [kinds]int

func count(s string) (c counts) {
	for i := 0; i < len(s); {
		k, n := classAt(s, i)
		j := i + n
		for k < script && j < len(s) {
			next, n := classAt(s, j)
			if next != k {
				break
			}
			j += n
		}
		switch k {
		case latin:
			c.words(s[i:j])
		case figure:
			c[digit] += j - i
			c[triple] += (j - i + 2) / 3
		case sign:
			c.marks(s, i, j)
		case blank:
			if j-i > 1 || s[i] != ' ' {
				c[space] += (j - i + blanksIn - 1) / blanksIn
			}
		default:
			c[kindOf[k]]++
		}
		i = j
	}
	return c
}

// words counts a run of Latin letters.
func (c *counts) words(run string) {
	length, wasLower := 0, false
	for _, r := range run {
		upper := 'A' <= r && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r)
		if upper && wasLower {
			c.word(length)
			length = 0
		}
		length++
		wasLower = !upper
		if r >= utf8.RuneSelf {
			c[accent]++
		}
	}
	c.word(length)
}

func (c *counts) word(length int) {
	c[word]++
	c[middle] += max(0, min(length, middleWord)-shortWord)
	c[long] += max(0, length-middleWord)
}

// marks counts the run of marks s[i:j].
func (c *counts) marks(s string, i, j int) {
	if j == i+1 && j < len(s) {
		if next, _ := classAt(s, j); next == latin {
			c[joined]++
			return
		}
	}
	c[mark] += (j - i + marksIn - 1) / marksIn
}

// ascii has the class of each ASCII character.
var ascii = asciiClasses()

func asciiClasses() (out [utf8.RuneSelf]class) {
	for b := range out {
		switch {
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			out[b] = latin
		case '0' <= b && b <= '9':
			out[b] = figure
		case b == ' ' || '\t' <= b && b <= '\r':
			out[b] = blank
		default:
			out[b] = sign
		}
	}
	return out
}

// classAt is the class of the rune at s[i], and its bytes.
func classAt(s string, i int) (class, int) {
	if b := s[i]; b < utf8.RuneSelf {
		return ascii[b], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return classOf(r), n
}

// classOf is the class of a rune beyond ASCII.
func classOf(r rune) class {
	switch {
	case 0xC0 <= r && r <= 0x2AF && r != '×' && r != '÷':
		return latin
	case 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF || 0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x3FFFF:
		return chinese
	case 0x3040 <= r && r <= 0x30FF:
		return syllable
	case 0xAC00 <= r && r <= 0xD7AF:
		return korean
	case r < 0x3000 && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return script
	}
	return strange
}
