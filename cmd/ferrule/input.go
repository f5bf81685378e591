package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// longestInput is the most that is read at once, in bytes: a text, or a line of --jsonl.
const longestInput = 64 << 20

// openInput opens a file, or the standard input where none is named.
func openInput(file string) (io.ReadCloser, error) {
	if file == "" || file == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, usageError{fmt.Errorf("read the text: %w", err)}
	}
	return f, nil
}

// readText reads a text whole. One byte too many is kept, so that a reader with
// a bound sees that it is beyond it.
func readText(in io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	return text, nil
}

// answerLines answers each line with a line. One that can't be read loses no
// other: the rest is answered too, and the error names the first.
func (p *program) answerLines(in io.Reader, answer func(line []byte) (said any, bad error)) error {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, longestInput)
	var first error
	n, more := 1, 0
	for ; sc.Scan(); n++ {
		line := bytes.TrimSpace(sc.Bytes())
		if len(line) == 0 {
			continue
		}
		line = bytes.Clone(line) // a schema that is kept reads it later
		said, bad := answer(line)
		switch {
		case bad == nil:
		case first == nil:
			first = fmt.Errorf("line %d: %w", n, bad)
		default:
			more++
		}
		if err := printLine(p.stdout, said); err != nil {
			return err
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return usageError{fmt.Errorf("line %d is longer than %d bytes", n, longestInput)}
	case err != nil:
		return fmt.Errorf("read the lines: %w", err)
	case more > 0:
		return usageError{fmt.Errorf("%w (and %d more lines that can't be read)", first, more)}
	case first != nil:
		return usageError{first}
	}
	return nil
}

// printLine prints one JSON value and a line end.
func printLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// endings are the words that protocols have for why an answer ended. Any other
// says nothing: then a text that isn't whole is refused.
var endings = map[string]struct{ itself, cut bool }{
	"stop": {itself: true}, "tool_calls": {itself: true}, "function_call": {itself: true},
	"end_turn": {itself: true}, "tool_use": {itself: true}, "STOP": {itself: true},
	"length": {cut: true}, "content_filter": {cut: true}, "filter": {cut: true},
	"max_tokens": {cut: true}, "MAX_TOKENS": {cut: true}, "SAFETY": {cut: true},
}
