package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// appendSystem writes the system prompt, a block for each of its texts, so that
// what stood apart stays apart; nil for none.
func appendSystem(system []chat.Part) ([]byte, error) {
	var list blocks
	for _, p := range system {
		var err error
		switch p := p.(type) {
		case chat.Text:
			list.text(p)
		case chat.Opaque:
			err = list.opaque(p)
		default:
			err = refuse(codeContent, "messages", "The system prompt holds something that isn't text. Move it into a user's message.")
		}
		if err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list.close(), nil
}

// turns is whose turn a role speaks in. There are two: results of tools and
// what the system says in mid-conversation stand in the user's.
var turns = map[chat.Role]string{chat.RoleAssistant: assistant}

const (
	user      = "user"
	assistant = "assistant"
)

// messages is the list that is being written. Messages of one side that follow
// each other are one turn, for the provider wants turns to alternate, and all
// results of a round in the turn behind its calls, before anything else.
type messages struct {
	b       []byte
	turn    string
	results blocks   // of a user's turn
	content blocks   // the rest of the turn
	unnamed []string // ids made for calls without one whose result is still to come
	made    int      // how many were made
	names   []string // of the tools in unnamed
}

func appendMessages(b []byte, q *chat.Request) ([]byte, error) {
	w := messages{b: append(b, '[')}
	for _, m := range q.Messages {
		turn := turns[m.Role]
		if turn == "" {
			turn = user
		}
		if turn != w.turn && !isEmpty(m) {
			w.end()
			w.turn = turn
		}
		if err := w.message(m); err != nil {
			return nil, err
		}
	}
	w.end()
	return append(w.b, ']'), nil
}

// end writes the turn at hand. One without blocks is none.
func (w *messages) end() {
	list := append(w.results, w.content...)
	w.results, w.content = nil, nil
	if len(list) == 0 {
		return
	}
	if n := len(w.b); w.b[n-1] != '[' {
		w.b = append(w.b, ',')
	}
	w.b = rawjson.AppendString(append(w.b, `{"role":`...), w.turn)
	w.b = append(append(append(w.b, `,"content":`...), list.close()...), '}')
}

// isEmpty reports whether nothing of a message would be written, so that it
// doesn't part the turns around it.
func isEmpty(m chat.Message) bool {
	return !slices.ContainsFunc(m.Parts, func(p chat.Part) bool {
		switch p := p.(type) {
		case chat.Text:
			return !isBlank(p.Text)
		case chat.Reasoning:
			return isSigned(p)
		}
		return true
	})
}

func (w *messages) message(m chat.Message) error {
	thoughts := thoughtsOf(m.Parts)
	if first := slices.IndexFunc(m.Parts, isCall); first >= 0 && thoughts != nil {
		// What was thought before the first call was thought before all of the turn.
		w.content.raw(thoughts[0])
	}
	calls := 0
	for _, p := range m.Parts {
		c, ok := p.(chat.Call)
		if ok {
			if calls > 0 && thoughts != nil {
				w.content.raw(thoughts[calls])
			}
			calls++
			w.call(c)
			continue
		}
		if err := w.part(p); err != nil {
			return err
		}
	}
	return nil
}

func isCall(p chat.Part) bool { _, ok := p.(chat.Call); return ok }

// thoughtsOf returns the signed blocks that hang on each call of a message; nil
// where there are none, or the message has signed thinking of its own.
func thoughtsOf(ps []chat.Part) (lists [][]byte) {
	any := false
	for _, p := range ps {
		switch p := p.(type) {
		case chat.Reasoning:
			if isSigned(p) {
				return nil
			}
		case chat.Call:
			list := p.Extra[thinking]
			if rawjson.Kind(list) != '[' || rawjson.Valid(list, rawjson.MaxDepth) != nil {
				list = nil
			}
			any = any || list != nil
			lists = append(lists, list)
		}
	}
	if !any {
		return nil
	}
	return lists
}

func (w *messages) part(p chat.Part) error {
	switch p := p.(type) {
	case chat.Text:
		w.content.text(p)
	case chat.Image:
		return w.content.image(p)
	case chat.Reasoning:
		w.content.reasoning(p)
	case chat.Result:
		return w.result(p)
	case chat.Opaque:
		return w.content.opaque(p)
	}
	return nil
}

func (w *messages) call(c chat.Call) {
	id := idFor(c.ID)
	if c.ID == "" {
		w.made++
		id = idFor("#" + strconv.Itoa(w.made)) // no two calls of a conversation have the same
		w.unnamed, w.names = append(w.unnamed, id), append(w.names, c.Name)
	}
	b := rawjson.AppendString([]byte(`{"type":"tool_use","id":`), id)
	b = rawjson.AppendString(append(b, `,"name":`...), c.Name)
	b = appendInput(append(b, `,"input":`...), c.Args)
	w.content.add(append(appendExtra(b, c.Extra), '}'))
}

// appendInput writes arguments, which must be an object: a text, as some tools
// take it, and what can't be read become its one member.
func appendInput(b, args []byte) []byte {
	switch {
	case len(strings.TrimSpace(string(args))) == 0:
		return append(b, "{}"...)
	case rawjson.Valid(args, rawjson.MaxDepth) != nil:
		b = rawjson.AppendString(append(b, `{"input":`...), string(args))
	case rawjson.Kind(args) == '{':
		return append(b, args...)
	default:
		b = append(append(b, `{"input":`...), args...)
	}
	return append(b, '}')
}

// result writes what a tool answered.
func (w *messages) result(r chat.Result) error {
	var list blocks
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Text:
			list.text(p)
		case chat.Image:
			to := &list
			if r.Error {
				to = &w.content // a result that is an error takes text only
			}
			if err := to.image(p); err != nil {
				return err
			}
		case chat.Opaque:
			if err := list.opaque(p); err != nil {
				return err
			}
		default:
			return refuse(codeContent, "messages", "The result of a call holds something that is neither text nor a picture.")
		}
	}
	b := rawjson.AppendString([]byte(`{"type":"tool_result","tool_use_id":`), w.answered(r))
	if len(list) > 0 {
		b = append(append(b, `,"content":`...), list.content(r.Parts)...)
	}
	if r.Error {
		b = append(b, `,"is_error":true`...)
	}
	w.results.add(append(appendExtra(b, r.Extra), '}'))
	return nil
}

// answered is the id of the call that a result answers. One without an id
// answers the first call of its tool that had none either.
func (w *messages) answered(r chat.Result) string {
	if r.ID != "" {
		return idFor(r.ID)
	}
	for i, name := range w.names {
		if name == r.Name || r.Name == "" {
			id := w.unnamed[i]
			w.unnamed, w.names = slices.Delete(w.unnamed, i, i+1), slices.Delete(w.names, i, i+1)
			return id
		}
	}
	return idFor("")
}
