package jsonmend

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// What is refused. An Error wraps one of these.
var (
	ErrEmpty        = errors.New("there is no value")
	ErrRoots        = errors.New("there are several values")
	ErrCutString    = errors.New("a string isn't finished")
	ErrCutNumber    = errors.New("a number may not be finished")
	ErrCut          = errors.New("the text ends before the value does")
	ErrDuplicate    = errors.New("a key stands twice with different values")
	ErrEllipsis     = errors.New("something was left out")
	ErrUnquoted     = errors.New("a value isn't quoted and isn't a number, true, false or null")
	ErrUnexpected   = errors.New("something stands where a comma, a colon or a closer should")
	ErrEscape       = errors.New(`a \u escape isn't four hexadecimal digits`)
	ErrSurrogate    = errors.New("half a surrogate pair stands alone")
	ErrEncoding     = errors.New("the text isn't UTF-8")
	ErrControls     = errors.New("there are too many control characters")
	ErrReadings     = errors.New("there are several ways to read it")
	ErrNotFinite    = errors.New("JSON has no NaN and no infinity")
	ErrHiddenMember = errors.New("a comment holds what may be a member")
	ErrTooDeep      = errors.New("it is nested too deep")
	ErrTooLarge     = errors.New("it is too large")
	ErrTooLong      = errors.New("a number is too long")
	ErrTooMany      = errors.New("an object has too many keys")
	ErrOff          = errors.New("the repair that it needs is switched off")
)

// Error says why and where the text was refused.
type Error struct {
	Kind   error    // one of the above
	Offset int      // of the input, in bytes
	Text   string   // the input there, at most 60 bytes
	Read   []byte   // what was read up to there: to be shown, never to be run
	Roots  [][]byte // ErrRoots: each value, where each could be read
	Repair Repair   // ErrOff: which
}

func (e *Error) Error() string {
	kind := e.Kind.Error()
	if e.Repair != "" {
		kind += " (" + string(e.Repair) + ")"
	}
	if e.Text == "" {
		return fmt.Sprintf("%s at byte %d", kind, e.Offset)
	}
	return fmt.Sprintf("%s at byte %d, at %q", kind, e.Offset, e.Text)
}

func (e *Error) Unwrap() error { return e.Kind }

const shownText = 60

func refuse(kind error, in []byte, at int) *Error {
	at = min(max(at, 0), len(in))
	end := min(at+shownText, len(in))
	for end < len(in) && end > at && !utf8.RuneStart(in[end]) {
		end--
	}
	return &Error{Kind: kind, Offset: at, Text: string(in[at:end])}
}
