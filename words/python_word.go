package words

import (
	"bytes"
	"math/big"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// pyWord returns a bare word as a JSON value: a number, or a constant of
// Python's or JSON's.
func pyWord(w []byte) (json string, ok bool) {
	switch s := string(w); s {
	case "True", "true":
		return "true", true
	case "False", "false":
		return "false", true
	case "None", "null":
		return "null", true
	default:
		return pyNumber(s)
	}
}

// maxRadix is the length of the longest number that is read to another base
// than ten: that takes more time than the number is long.
const maxRadix = 64

// pyNumber writes a Python number the way JSON has it. The value stays as it is.
func pyNumber(s string) (json string, ok bool) {
	digits, minus := strings.CutPrefix(s, "-")
	if !minus {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits, ok = withoutUnderscores(digits); !ok {
		return "", false
	}
	switch {
	case len(digits) > 2 && digits[0] == '0' && strings.IndexByte("xXoObB", digits[1]) >= 0:
		if len(digits) > maxRadix {
			return "", false
		}
		n, ok := new(big.Int).SetString(digits, 0)
		if !ok {
			return "", false
		}
		digits = n.String()
	case len(digits) > 1 && digits[0] == '.' && digits[1] >= '0' && digits[1] <= '9':
		digits = "0" + digits
	}
	if i := strings.IndexByte(digits, '.'); i > 0 && (i+1 == len(digits) || digits[i+1] == 'e' || digits[i+1] == 'E') {
		digits = digits[:i+1] + "0" + digits[i+1:]
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' || rawjson.Valid([]byte(digits), 1) != nil {
		return "", false
	}
	if minus {
		return "-" + digits, true
	}
	return digits, true
}

// withoutUnderscores takes out the underscores that group digits. They stand
// between two digits and nowhere else.
func withoutUnderscores(s string) (string, bool) {
	if strings.IndexByte(s, '_') < 0 {
		return s, true
	}
	top := 9
	if len(s) > 1 && s[1]|0x20 == 'x' {
		top = 15
	}
	digit := func(i int) bool {
		return i >= 0 && i < len(s) && hexValue(s[i]) >= 0 && hexValue(s[i]) <= top
	}
	for i := range len(s) {
		if s[i] == '_' && !(digit(i-1) && digit(i+1)) {
			return "", false
		}
	}
	return strings.ReplaceAll(s, "_", ""), true
}

// pyWordByte reports whether c goes on with a bare word: a name or a number.
func pyWordByte(c byte) bool { return pyNameByte(c) || c == '+' }

// pyToolStart reports whether c can begin the name of a tool.
func pyToolStart(c byte) bool { return pyNameStart(c) || c >= '0' && c <= '9' || c == '-' }

// pyNameStart reports whether c can begin the name of an argument.
func pyNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// pyNameByte reports whether c can stand in the name of a tool or an argument.
// A backslash is Markdown's, before an underscore.
func pyNameByte(c byte) bool {
	return pyNameStart(c) || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '\\'
}

// pyName takes Markdown's backslashes out of a name. A backslash anywhere else
// makes it no name.
func pyName(b []byte) (name string, escaped, ok bool) {
	plain := bytes.ReplaceAll(b, []byte(`\_`), []byte("_"))
	ok = len(plain) > 0 && bytes.IndexByte(plain, '\\') < 0
	return string(plain), len(plain) < len(b), ok
}
