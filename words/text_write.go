package words

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// textual writes calls whose arguments are text between tags: strings stand as
// they are, all else as JSON. The form that reads it back has the last word on
// whether it can be told where each value ends: a call of which it can't is
// written with one JSON object in place of its parameters, which reads as well.
type textual struct {
	form        Form
	open, close string // of a block
	round       bool   // a block stands around all calls of a round, else around each
	head        [2]string
	key         [2]string
	value       [2]string
	end         string // of a call
	lines       bool   // each value stands on lines of its own
}

func (s textual) calls(b []byte, cs []chat.Call, _ Frame) []byte {
	for i, c := range cs {
		switch {
		case i > 0 && !s.round:
			b = append(append(append(b, s.close...), '\n'), s.open...)
		case i == 0:
			b = append(b, s.open...)
		}
		b = append(b, s.call(c)...)
	}
	return append(b, s.close...)
}

// call writes what stands in a block for one call.
func (s textual) call(c chat.Call) string {
	head := s.head[0] + c.Name + s.head[1]
	if params, ok := s.params(c); ok {
		var b strings.Builder
		for _, p := range params {
			b.WriteString(s.key[0] + p.Name + s.key[1] + s.value[0] + p.Text + s.value[1])
		}
		call := head + b.String() + s.end
		if s.readsBack(call, c.Name, params) {
			return call
		}
	}
	args := argsOf(c)
	if rawjson.Kind(args) != '{' {
		args = append(append([]byte(`{"arguments": `), args...), '}')
	}
	return head + string(args) + "\n" + s.end
}

// params are a call's arguments as text. ok is false where one isn't the same as
// text.
func (s textual) params(c chat.Call) (params []chat.Param, ok bool) {
	for _, a := range argumentsOf(c) {
		text := string(a.value)
		switch rawjson.Kind(a.value) {
		case 'n': // where text may stand too it would be that
			return nil, false
		case '"':
			var err error
			if text, err = rawjson.String(a.value); err != nil {
				return nil, false
			}
		}
		// One line break on either side is layout.
		if edges := strings.Trim(text, "\r\n"); s.lines || len(edges) < len(text) {
			text = "\n" + text + "\n"
		}
		params = append(params, chat.Param{Name: a.name, Text: text})
	}
	return params, true
}

// readsBack reports whether the form takes a written call for what it is.
func (s textual) readsBack(call, name string, params []chat.Param) bool {
	opener := s.form.Openers()[0]
	block := strings.TrimPrefix(s.open+call+s.close, opener.Text)
	body := s.form.Body(opener)
	if n, state := body.Feed([]byte(block)); state == NotACall || state == Done && n < len(block) {
		return false
	}
	cs := body.End(false)
	return len(cs) == 1 && cs[0].Name == name && cs[0].Why == "" && !cs[0].Cut && len(cs[0].Repairs) == 0 &&
		slices.Equal(cs[0].Params, params)
}
