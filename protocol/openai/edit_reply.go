package openai

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// editReply returns a whole reply with its calls, finish and usage as the
// events say that e has followed; every other member stays as it was. It is
// false where another choice has calls: its own are read for the first one's.
func (e *encoder) editReply(raw []byte) ([]byte, bool) {
	if callsAside(raw) {
		return nil, false
	}
	return editAnswer(raw, func(choice []byte) ([]byte, bool) {
		message, ok := rawjson.Get(choice, "message")
		if !ok || rawjson.Kind(message) != '{' {
			return nil, false
		}
		if message, ok = e.editMessage(message); !ok {
			return nil, false
		}
		return editFinish(choice, e.finishWord(), rawjson.Change{Key: "message", Value: message})
	}, e.usage)
}

// callsAside reports whether a choice other than the first holds a call.
func callsAside(raw []byte) (aside bool) {
	list, _ := rawjson.Get(raw, "choices")
	n, found := 0, false
	_ = rawjson.Elements(list, func(v []byte) bool {
		if !found && isFirst(v, n) {
			found = true
		} else {
			calls, _ := rawjson.Get(v, "message", "tool_calls")
			call, _ := rawjson.Get(v, "message", "function_call")
			aside = rawjson.Kind(calls) == '[' || rawjson.Kind(call) == '{'
		}
		n++
		return !aside
	})
	return aside
}

// editChunk returns an event of a stream with the finish and the usage of its
// events; a frame that Changed in more has no Raw.
func (e *encoder) editChunk(f chat.Frame) ([]byte, bool) {
	word, usage := "", chat.Usage{}
	for i := range f.Events {
		switch ev := &f.Events[i]; ev.Kind {
		case chat.EventFinish:
			word = e.wordFor(ev.Finish)
		case chat.EventUsage:
			usage = ev.Usage
		}
	}
	from := bytes.Index(f.Raw, []byte("data:"))
	if from < 0 || from > 0 && f.Raw[from-1] != '\n' && f.Raw[from-1] != '\r' {
		return nil, false
	}
	payload, end, err := rawjson.Prefix(f.Raw[from+len("data:"):])
	if err != nil {
		return nil, false
	}
	behind := f.Raw[from+len("data:")+end:]
	out, ok := editAnswer(payload, func(choice []byte) ([]byte, bool) {
		if word == "" {
			return choice, true
		}
		return editFinish(choice, word)
	}, usage)
	if !ok {
		return nil, false
	}
	return slices.Concat(f.Raw[:from], []byte("data: "), out, behind), true
}

// editAnswer edits choice 0 and the usage of a chunk or a reply. A chunk that
// only counts has no choice.
func editAnswer(raw []byte, edit func(choice []byte) ([]byte, bool), usage chat.Usage) ([]byte, bool) {
	list, ok := rawjson.Get(raw, "choices")
	if !ok || rawjson.Kind(list) != '[' {
		return nil, false
	}
	choices := []byte{'['}
	n, found := 0, false
	ok = true
	err := rawjson.Elements(list, func(v []byte) bool {
		if n > 0 {
			choices = append(choices, ',')
		}
		if !found && isFirst(v, n) {
			found = true
			if v, ok = edit(v); !ok {
				return false
			}
		}
		choices = append(choices, v...)
		n++
		return true
	})
	if err != nil || !ok || !found && n > 0 {
		return nil, false
	}
	var changes []rawjson.Change
	if found {
		changes = append(changes, rawjson.Change{Key: "choices", Value: append(choices, ']')})
	}
	if was, ok := rawjson.Get(raw, "usage"); ok && rawjson.Kind(was) == '{' {
		if edited, ok := editUsage(was, usage); ok {
			changes = append(changes, rawjson.Change{Key: "usage", Value: edited})
		}
	}
	out, err := rawjson.Edit(raw, changes...)
	return out, err == nil
}

// isFirst reports whether the choice that stands n-th is choice 0.
func isFirst(choice []byte, n int) bool {
	index, ok := rawjson.Get(choice, "index")
	if !ok {
		return n == 0
	}
	i, ok := integer(index)
	return ok && i == 0
}

// editFinish edits a choice's finish where it is another, and what else is given.
func editFinish(choice []byte, word string, changes ...rawjson.Change) ([]byte, bool) {
	if was, _ := rawjson.Get(choice, "finish_reason"); str(was) != word {
		changes = append(changes, rawjson.Change{Key: "finish_reason", Value: appendOrNull(nil, word)})
	}
	choice, err := rawjson.Edit(choice, changes...)
	return choice, err == nil
}

func (e *encoder) editMessage(m []byte) ([]byte, bool) {
	list, _ := rawjson.Get(m, "tool_calls")
	function, _ := rawjson.Get(m, "function_call")
	if rawjson.Kind(list) != '[' {
		list = nil
	}
	if rawjson.Kind(function) != '{' {
		function = nil
	}
	var changes []rawjson.Change
	switch {
	case len(e.calls) == 0:
		changes = []rawjson.Change{{Key: "tool_calls"}, {Key: "function_call"}}
	case list == nil && function == nil:
		return nil, false
	case e.functions:
		c := e.calls[0]
		changes = []rawjson.Change{{Key: "tool_calls"}, {Key: "function_call", Value: appendCallFunction(nil, c.Call, "arguments", string(c.sent))}}
	default:
		changes = []rawjson.Change{{Key: "function_call"}, {Key: "tool_calls", Value: e.editCalls(list)}}
	}
	m, err := rawjson.Edit(m, changes...)
	return m, err == nil
}

// editCalls writes the calls. One that came keeps what else it holds.
func (e *encoder) editCalls(list []byte) []byte {
	var came [][]byte
	if list != nil {
		_ = rawjson.Elements(list, func(v []byte) bool {
			came = append(came, v)
			return true
		})
	}
	b := []byte{'['}
	for i, c := range e.calls {
		if i > 0 {
			b = append(b, ',')
		}
		if i < len(came) {
			if v, ok := c.edit(came[i]); ok {
				b = append(b, v...)
				continue
			}
		}
		b = append(b, '{')
		b = append(appendCallBody(b, c.Call, string(c.sent)), '}')
	}
	return append(b, ']')
}

// edit returns v, the call of the same id as it came, with the name and the
// arguments of c.
func (c *madeCall) edit(v []byte) ([]byte, bool) {
	key, argument := "function", "arguments"
	if isCustom(c.Call) {
		key, argument = "custom", "input"
	}
	id, _ := rawjson.Get(v, "id")
	function, ok := rawjson.Get(v, key)
	if !ok || rawjson.Kind(function) != '{' || str(id) != c.ID {
		return nil, false
	}
	var changes []rawjson.Change
	if name, _ := rawjson.Get(function, "name"); str(name) != c.Name {
		changes = append(changes, rawjson.Change{Key: "name", Value: rawjson.AppendString(nil, c.Name)})
	}
	if args, _ := rawjson.Get(function, argument); rawjson.Kind(args) != '"' || str(args) != string(c.sent) {
		changes = append(changes, rawjson.Change{Key: argument, Value: rawjson.AppendString(nil, string(c.sent))})
	}
	if len(changes) == 0 {
		return v, true
	}
	function, err := rawjson.Edit(function, changes...)
	if err != nil {
		return nil, false
	}
	v, err = rawjson.Edit(v, rawjson.Change{Key: key, Value: function})
	return v, err == nil
}

// editUsage writes the counts where they aren't those that came.
func editUsage(was []byte, u chat.Usage) ([]byte, bool) {
	if before := readUsage(was); !u.Known || before == u {
		return nil, false
	}
	total := u.Total
	if total == 0 {
		total = u.Input + u.Output
	}
	changes := []rawjson.Change{
		{Key: "prompt_tokens", Value: appendInt(&u.Input)},
		{Key: "completion_tokens", Value: appendInt(&u.Output)},
		{Key: "total_tokens", Value: appendInt(&total)},
	}
	for _, detail := range []struct {
		in, key string
		n       int
	}{
		{"prompt_tokens_details", "cached_tokens", u.Cached},
		{"completion_tokens_details", "reasoning_tokens", u.Reasoning},
	} {
		if d, ok := rawjson.Get(was, detail.in); ok && rawjson.Kind(d) == '{' {
			if d, err := rawjson.Edit(d, rawjson.Change{Key: detail.key, Value: appendInt(&detail.n)}); err == nil {
				changes = append(changes, rawjson.Change{Key: detail.in, Value: d})
			}
		}
	}
	out, err := rawjson.Edit(was, changes...)
	return out, err == nil
}
