package jsonmend

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/ferrule/ferrule/rawjson"
)

// keys are those of the open objects, each object's behind its parent's.
type keys struct {
	b     []byte
	all   []member
	plain []byte // the letters of those that had escapes, without them
	spans []span // of each of those in plain
	seed  maphash.Seed
	table [][]int32 // by depth: hashed positions plus one, from fewKeys on
}

// member is a key and its value, as places in the text.
type member struct {
	at, to     int32 // of the key's quotes; where it had escapes, to is -1 and less
	start, end int32 // of the value
}

type span struct{ from, to int32 }

const fewKeys = 16

func (k *keys) reset(b []byte) { k.b, k.all, k.plain, k.spans = b, k.all[:0], k.plain[:0], k.spans[:0] }

// doubled makes room for as many again, where there is none. To grow by less at
// a time costs more memory in the end.
func doubled[T any](s []T) []T {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(fewKeys, len(s)))
}

// room makes room for n keys.
func (k *keys) room(n int) {
	if n > cap(k.all) {
		k.all = make([]member, 0, n)
	}
}

func (k *keys) letters(m *member) []byte {
	if m.to < 0 {
		p := k.spans[-1-m.to]
		return k.plain[p.from:p.to]
	}
	return k.b[m.at+1 : m.to-1]
}

// add keeps the quoted key at from, whose value begins at value, and notes in l
// which key it repeats. It says no of one key too many.
func (k *keys) add(depth int32, l *level, from, to, value int, escaped bool) bool {
	m := member{at: int32(from), to: int32(to), start: int32(value)}
	if escaped {
		p := span{from: int32(len(k.plain))}
		k.plain, _ = rawjson.AppendUnquoted(k.plain, k.b[from:to])
		p.to = int32(len(k.plain))
		k.spans = append(k.spans, p)
		m.to = -int32(len(k.spans))
	}
	k.all = append(doubled(k.all), m)
	mine := k.all[l.base:]
	last := len(mine) - 1
	l.same = -1
	if len(mine) <= fewKeys {
		letters := k.letters(&m)
		for i := range mine[:last] {
			if bytes.Equal(k.letters(&mine[i]), letters) {
				l.same = l.base + int32(i)
				break
			}
		}
		return true
	}
	if k.table == nil {
		k.seed, k.table = maphash.MakeSeed(), make([][]int32, MaxDepth)
	}
	if t := k.table[depth]; len(mine) == fewKeys+1 || 2*len(mine) > len(t) {
		k.table[depth] = k.grown(t, mine[:last])
	}
	if i := k.place(k.table[depth], mine, last); i != last {
		l.same = l.base + int32(i)
	}
	return len(mine) <= MaxKeys
}

// grown returns a table with room for more than mine, which it holds.
func (k *keys) grown(table []int32, mine []member) []int32 {
	if 2*len(mine) < len(table) {
		clear(table) // another object's
	} else {
		table = make([]int32, max(4*len(table), 8*fewKeys))
	}
	for i := range mine {
		k.place(table, mine, i)
	}
	return table
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
