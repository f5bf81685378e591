package args

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ferrule/ferrule/jsonmend"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// text makes text of a value, or finds the option that a text means.
func (f *fitter) text(v []byte, p schema.Spot, path string) ([]byte, bool) {
	switch rawjson.Kind(v) {
	case '"':
		return f.option(v, p, path)
	case '0', 't', 'f':
		f.did(RepairText, path)
		return rawjson.AppendString(nil, string(bytes.TrimSpace(v))), true
	case '[':
		if f.joins(path) {
			if all, ok := chunks(v); ok {
				f.did(RepairJoinText, path)
				return all, true
			}
		}
		return f.single(v, p, path)
	}
	return v, false
}

// option finds the one option that a text spells in another case, in quotes or
// with other spacing. Options of one or two characters are never folded: -d
// isn't -D.
func (f *fitter) option(v []byte, p schema.Spot, path string) ([]byte, bool) {
	s, err := rawjson.String(v)
	if err != nil {
		return v, false
	}
	want := foldOption(s)
	var found []byte
	for _, o := range p.Options() {
		name, err := rawjson.String([]byte(o))
		if rawjson.Kind([]byte(o)) != '"' || err != nil || utf8.RuneCountInString(name) <= 2 || foldOption(name) != want {
			continue
		}
		if found != nil {
			return v, false
		}
		found = []byte(o)
	}
	if found == nil {
		return v, false
	}
	f.did(RepairOption, path)
	return found, true
}

// foldOption sets case, white space and one pair of quotes around aside.
func foldOption(s string) string {
	s = strings.TrimSpace(s)
	if n := len(s); n > 2 && s[0] == s[n-1] && strings.ContainsRune("\"'`", rune(s[0])) {
		s = s[1 : n-1]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// number reads numeric text. The digits stay as they are.
func (f *fitter) number(v []byte, p schema.Spot, path string, whole bool) ([]byte, bool) {
	switch rawjson.Kind(v) {
	case '"':
		s, err := rawjson.String(v)
		if err != nil {
			return v, false
		}
		n, ok := numeric(s, whole)
		if !ok {
			return v, false
		}
		f.did(RepairNumber, path)
		return []byte(n), true
	case '0': // a draft may take no 3.0 for an integer
		n, ok := numeric(string(bytes.TrimSpace(v)), whole)
		if !ok || !whole {
			return v, false
		}
		f.did(RepairNumber, path)
		return []byte(n), true
	case '[':
		return f.single(v, p, path)
	}
	return v, false
}

// numeric returns the number that a text spells exactly. 1.000 may mean a
// thousand.
func numeric(s string, whole bool) (string, bool) {
	if whole {
		s = strings.TrimSuffix(s, ".0")
		digits := strings.TrimPrefix(s, "-")
		ok := digits != "" && strings.Trim(digits, "0123456789") == "" && (digits[0] != '0' || digits == "0")
		return s, ok
	}
	if s == "" || strings.HasSuffix(s, ".000") || strings.TrimSpace(s) != s || rawjson.Kind([]byte(s)) != '0' {
		return s, false
	}
	return s, rawjson.Valid([]byte(s), 1) == nil
}

func (f *fitter) boolean(v []byte, p schema.Spot, path string) ([]byte, bool) {
	switch rawjson.Kind(v) {
	case '"':
		s, _ := rawjson.String(v)
		for _, word := range []string{"true", "false"} {
			if strings.EqualFold(s, word) {
				f.did(RepairBoolean, path)
				return []byte(word), true
			}
		}
	case '[':
		return f.single(v, p, path)
	}
	return v, false
}

func (f *fitter) null(v []byte, path string) ([]byte, bool) {
	if string(bytes.TrimSpace(v)) != `"null"` {
		return v, false
	}
	f.did(RepairNull, path)
	return []byte("null"), true
}

// decode reads the list or object that a text holds. Nothing may stand around it.
func (f *fitter) decode(v []byte, path string) ([]byte, bool) {
	s, err := rawjson.AppendUnquoted(nil, v)
	if err != nil {
		return v, false
	}
	s = bytes.TrimSpace(s)
	if k := rawjson.Kind(s); k != '{' && k != '[' {
		return v, false
	}
	r, err := jsonmend.Mend(s, jsonmend.Options{Off: aroundOff})
	if err != nil {
		return v, false
	}
	f.did(RepairDecode, path)
	for _, m := range r.Repairs {
		f.did(string(m.Repair), path)
	}
	value, changed := collapse(r.Value)
	if changed {
		f.did(RepairDuplicate, path)
	}
	return value, true
}

// aroundOff are the repairs that a text within arguments doesn't get: it is
// all JSON, or it is text.
var aroundOff = map[jsonmend.Repair]bool{
	jsonmend.StripFence: true, jsonmend.StripToken: true, jsonmend.StripThinking: true, jsonmend.StripProseBefore: true,
	jsonmend.StripProseAfter: true, jsonmend.StripCall: true, jsonmend.UnwrapDoubleEncoded: true,
	jsonmend.EscapeInnerQuotes: true, jsonmend.ExtraCloser: true, jsonmend.MismatchedCloser: true, jsonmend.MissingCloser: true,
}
