package args

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// knows reports whether anything is said of the tool that doesn't wait for a
// value to fail: names of fields, references, fields to leave out.
func (f *fitter) knows() bool { return len(f.keys) > 0 || f.tool.refs || f.tool.dropUnknown }

// known sets right what the operator, or a mark in the schema, says is meant:
// a schema alone would take it as it stands.
func (f *fitter) known(v []byte, p schema.Spot, path string) []byte {
	switch rawjson.Kind(v) {
	case '{':
		ms := membersOf(v)
		changed := path == "" && f.rename(ms, p)
		for i := range ms {
			m := &ms[i]
			at := below(path, m.key)
			spot, standing := p.Field(m.key)
			if standing == schema.Unnamed && f.tool.dropUnknown && len(p.Fields()) > 0 && p.Forms() == nil {
				f.done = append(f.done, made{RepairUnknown, at, m.value})
				m.gone, changed = true, true
				continue
			}
			if value := f.known(m.value, spot, at); !bytes.Equal(value, m.value) {
				m.value, changed = value, true
			}
		}
		if changed {
			return objectOf(ms)
		}
	case '[':
		var out [][]byte
		changed := false
		_ = rawjson.Elements(v, func(e []byte) bool {
			value := f.known(e, p.Item(len(out)), path+"["+strconv.Itoa(len(out))+"]")
			changed = changed || !bytes.Equal(value, e)
			out = append(out, bytes.TrimSpace(value))
			return true
		})
		if changed {
			return slices.Concat([]byte("["), bytes.Join(out, []byte(",")), []byte("]"))
		}
	case '"':
		if f.tool.refs && (slices.Contains(f.tool.rule.Refs, places(path)) || p.Reference()) {
			return f.reference(v, path)
		}
	}
	return v
}

// rename gives fields the names that the operator says are meant.
func (f *fitter) rename(ms []member, p schema.Spot) (changed bool) {
	for i := range ms {
		name, ok := f.keys[ms[i].key]
		if !ok {
			continue
		}
		if _, standing := p.Field(ms[i].key); standing == schema.Named {
			continue
		}
		if slices.ContainsFunc(ms, func(m member) bool { return m.key == name }) {
			continue
		}
		ms[i].key, changed = name, true
		f.did(RepairKeyAlias, name)
	}
	return changed
}

// reference takes the wrapping off a reference: [ref=e12], ref=e12 and e12] are e12.
func (f *fitter) reference(v []byte, path string) []byte {
	s, err := rawjson.String(v)
	if err != nil {
		return v
	}
	bare := strings.TrimSpace(s)
	bare = strings.TrimSuffix(strings.TrimPrefix(bare, "["), "]")
	bare = strings.TrimPrefix(bare, "ref=")
	if bare == s || bare == "" || strings.Trim(bare, refLetters) != "" {
		return v
	}
	f.did(RepairRef, path)
	return rawjson.AppendString(nil, bare)
}

// refLetters are what a reference is made of.
const refLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:"

// pointer is a path as a JSON pointer.
func pointer(path string) string {
	if path == "" {
		return ""
	}
	path = strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
	return "/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(path)
}

// shown cuts a value to what is shown of one.
func shown(v []byte) string {
	if r := []rune(string(v)); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(v)
}
