package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// naming is what a dialect takes of a tool's name.
type naming struct {
	most   int  // bytes
	letter bool // it begins with a letter or _
}

var (
	letters64          = naming{most: 64}
	startsWithLetter64 = naming{most: 64, letter: true}
)

// takes reports whether a name passes as it is.
func (r naming) takes(name string) bool {
	if name == "" || len(name) > r.most || r.letter && !letterOr(name[0]) {
		return false
	}
	for i := range len(name) {
		if !nameByte(name[i]) {
			return false
		}
	}
	return true
}

func letterOr(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

func nameByte(c byte) bool { return letterOr(c) || c >= '0' && c <= '9' || c == '-' }

// nameTail is how many hex digits tell apart names that would be alike.
const nameTail = 8

// Names gives each of a request's tools the name that a dialect takes: its own
// where that passes, else one made of it with a hash behind. They differ where
// the names differ, and each hangs on its own name alone, but for a clash with
// another tool's own name, so that it is the same on every later turn.
func Names(dialect string, names []string) []string {
	d, ok := dialectNamed(dialect)
	out := make([]string, len(names))
	taken := map[string]bool{}
	for i, n := range names {
		if !ok || d.names.takes(n) {
			out[i], taken[n] = n, true
		}
	}
	for i, n := range names {
		if out[i] != "" {
			continue
		}
		made := d.names.made(n, "")
		for salt := "+"; taken[made]; salt += "+" {
			made = d.names.made(n, salt)
		}
		out[i], taken[made] = made, true
	}
	return out
}

// made is a name that the dialect takes, for one that it doesn't.
func (r naming) made(name, salt string) string {
	sum := sha256.Sum256([]byte(salt + name))
	tail := "_" + hex.EncodeToString(sum[:])[:nameTail]
	b := strings.Map(func(c rune) rune {
		if c < 0x80 && nameByte(byte(c)) {
			return c
		}
		return '_'
	}, name)
	if r.letter && (b == "" || !letterOr(b[0])) {
		b = "t_" + b
	}
	return b[:min(len(b), r.most-len(tail))] + tail
}
