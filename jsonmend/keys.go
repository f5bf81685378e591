package jsonmend

import (
	"bytes"
	"hash/maphash"

	"github.com/ferrule/ferrule/rawjson"
)

// keys are those of the open objects, each object's behind its parent's.
type keys struct {
	b     []byte
	all   []member
	plain []byte // of those that had escapes, without them
	seed  maphash.Seed
}

// member is a key and its value, as places in the text.
type member struct {
	from, to   int32 // of the key's letters
	start, end int32 // of the value
	at         int32 // of the key
	escaped    bool  // the letters are in keys.plain
}

const fewKeys = 16

func (k *keys) letters(m *member) []byte {
	if m.escaped {
		return k.plain[m.from:m.to]
	}
	return k.b[m.from:m.to]
}

// add keeps the quoted key at from, whose value begins at value, and notes in l
// which key it repeats. It says no of one key too many.
func (k *keys) add(l *level, from, to, value int, escaped bool) bool {
	m := member{from: int32(from + 1), to: int32(to - 1), start: int32(value), at: int32(from), escaped: escaped}
	if escaped {
		m.from = int32(len(k.plain))
		k.plain, _ = rawjson.AppendUnquoted(k.plain, k.b[from:to])
		m.to = int32(len(k.plain))
	}
	k.all = append(k.all, m)
	mine := k.all[l.base:]
	last := len(mine) - 1
	l.same = -1
	if len(mine) <= fewKeys {
		for i := range mine[:last] {
			if o := &mine[i]; o.to-o.from == m.to-m.from && bytes.Equal(k.letters(o), k.letters(&m)) {
				l.same = l.base + i
				break
			}
		}
		return true
	}
	if 2*len(mine) > len(l.table) {
		if l.table == nil && k.seed == (maphash.Seed{}) {
			k.seed = maphash.MakeSeed()
		}
		l.table = make([]int32, max(4*len(l.table), 8*fewKeys))
		for i := range mine[:last] {
			k.place(l.table, mine, i)
		}
	}
	if i := k.place(l.table, mine, last); i != last {
		l.same = l.base + i
	}
	return len(mine) <= MaxKeys
}

// place puts key i into the table and returns the equal one that was there, or i.
func (k *keys) place(table []int32, mine []member, i int) int {
	key := k.letters(&mine[i])
	mask := uint64(len(table) - 1)
	for h := maphash.Bytes(k.seed, key); ; h++ {
		switch o := int(table[h&mask]) - 1; {
		case o < 0:
			table[h&mask] = int32(i + 1)
			return i
		case bytes.Equal(k.letters(&mine[o]), key):
			return o
		}
	}
}

// ended notes where the value of the last key ends. It returns where that key
// stands if it repeats another one with a different value, else -1.
func (k *keys) ended(l *level, end int) int {
	m := &k.all[len(k.all)-1]
	m.end = int32(end)
	if l.same < 0 {
		return -1
	}
	first := &k.all[l.same]
	if bytes.Equal(k.b[first.start:first.end], k.b[m.start:m.end]) {
		return -1
	}
	return int(m.at)
}
