package words

import (
	"crypto/sha256"
	"hash"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// rendering turns a conversation into one without calls and results. What it
// writes for a message depends on that message and those before it alone, so
// that a longer conversation begins with the same bytes.
type rendering struct {
	syntax  Syntax
	toolset string
	key     []byte
	dropped bool
	closer  string // of the block that results stand in

	notes  map[int][]string  // by the result's place among all
	count  int               // results so far
	names  map[string]string // of the tools, by call id
	places map[string]int    // of the calls among all, by their ids
	calls  int               // so far
	texts  []string
	called bool
	prompt hash.Hash // all that was rendered so far
}

func newRendering(syntax Syntax, toolset string, s Settings) *rendering {
	r := &rendering{
		syntax: syntax, toolset: toolset, key: s.Key, dropped: s.Dropped, notes: s.Notes,
		names: map[string]string{}, places: map[string]int{}, prompt: sha256.New(),
	}
	if rs, ok := syntax.(Results); ok {
		_, r.closer = rs.ResultBlock()
	}
	return r
}

// note adds what was rendered to the running digest.
func (r *rendering) note(kind, text string) {
	r.prompt.Write(sized(kind))
	r.prompt.Write(sized(text))
	r.texts = append(r.texts, text)
}

func (r *rendering) request(q *chat.Request, contract string) *chat.Request {
	out := q.Edit(chat.FieldMessages | chat.FieldTools | chat.FieldStream)
	out.Tools, out.Choice, out.Parallel = nil, chat.Choice{}, nil
	out.Usage = true
	out.System = r.parts("system", q.System)
	if contract != "" {
		r.note("contract", contract)
		out.System = append(out.System, chat.Text{Text: contract})
	}
	out.Messages = r.messages(q.Messages)
	if r.dropped {
		out.Messages = inFront(out.System, out.Messages)
		out.System = nil
	}
	return out
}

func (r *rendering) messages(ms []chat.Message) []chat.Message {
	var out []chat.Message
	for i := 0; i < len(ms); {
		// All results of a round stand together, and what the user says next behind them.
		n := i
		for n < len(ms) && answers(ms[n]) {
			n++
		}
		if n > i {
			m := r.round(ms[i:n])
			if n < len(ms) && ms[n].Role == chat.RoleUser {
				m = joinUser(m, r.message(ms[n]))
				n++
			}
			out, i = append(out, m), n
			continue
		}
		out = r.add(out, ms[i])
		i++
	}
	return out
}

// add adds a message. What the system says within the conversation the user says
// where it stands: many templates take no other, and the tail must stand in the
// same message as what the model is to answer.
func (r *rendering) add(out []chat.Message, m chat.Message) []chat.Message {
	late := m.Role == chat.RoleSystem
	m = r.message(m)
	if n := len(out); late && n > 0 && out[n-1].Role == chat.RoleUser {
		out[n-1] = joinUser(out[n-1], m)
		return out
	}
	return append(out, m)
}

// answers reports whether a message brings results.
func answers(m chat.Message) bool {
	return m.Role == chat.RoleTool || slices.ContainsFunc(m.Parts, isResult)
}

func isResult(p chat.Part) bool { _, ok := p.(chat.Result); return ok }

func (r *rendering) message(m chat.Message) chat.Message {
	if m.Role == chat.RoleAssistant && slices.ContainsFunc(m.Parts, isCall) {
		m.Parts = r.assistant(m.Parts)
		return m
	}
	if m.Role == chat.RoleSystem {
		m.Role = chat.RoleUser
	}
	m.Parts = r.parts(string(m.Role), m.Parts)
	return m
}

func isCall(p chat.Part) bool { _, ok := p.(chat.Call); return ok }

// parts keeps what has no part in calling tools.
func (r *rendering) parts(role string, ps []chat.Part) []chat.Part {
	out := make([]chat.Part, 0, len(ps)+1)
	for _, p := range ps {
		switch v := p.(type) {
		case chat.Text:
			v.Text = reserve(v.Text)
			r.note(role, v.Text)
			p = v
		case chat.Image:
			r.note("image", v.URL+string(v.Data))
		case chat.Reasoning:
			r.note("reasoning", v.Text)
		case chat.Opaque:
			r.note("opaque", string(v.Raw))
		}
		out = append(out, p)
	}
	return out
}

// assistant writes the calls of a turn behind its words, as one text.
func (r *rendering) assistant(ps []chat.Part) []chat.Part {
	var words strings.Builder
	var calls []chat.Call
	var others []chat.Part
	for _, p := range ps {
		switch v := p.(type) {
		case chat.Text:
			words.WriteString(v.Text)
		case chat.Call:
			calls = append(calls, v)
			r.names[v.ID], r.places[v.ID] = v.Name, r.calls+len(calls)-1
			r.texts = append(r.texts, v.Name, string(v.Args))
		default:
			others = append(others, p)
		}
	}
	others = r.parts("assistant", others)
	text := strings.TrimRight(reserve(words.String()), " \t\r\n")
	r.note("assistant", text)
	r.called = true
	// The nonce of an earlier call looks like one, and no rendering changes it.
	past := Frame{Toolset: r.toolset, Nonce: nonce(r.key, "past "+string(r.prompt.Sum(nil)), 0), First: r.calls}
	r.calls += len(calls)
	b := []byte(text)
	if len(b) > 0 {
		b = append(b, '\n')
	}
	b = r.syntax.WriteCalls(b, calls, past)
	r.note("calls", string(b))
	return append(others, chat.Text{Text: string(b)})
}

// round writes the results of one round as one user message. Pictures and what
// else stands there follow.
func (r *rendering) round(ms []chat.Message) chat.Message {
	var rs []Fenced
	var rest, pictures []chat.Part
	for _, m := range ms {
		for _, p := range m.Parts {
			res, ok := p.(chat.Result)
			if !ok {
				rest = append(rest, p)
				continue
			}
			f, images := r.result(res)
			rs = append(rs, f)
			pictures = append(pictures, images...)
		}
	}
	out := chat.Message{Role: chat.RoleUser}
	if len(rs) > 0 {
		out.Parts = append(out.Parts, chat.Text{Text: string(r.syntax.WriteResults(nil, rs))})
	}
	out.Parts = append(out.Parts, r.parts("result", pictures)...)
	return joinUser(out, chat.Message{Parts: r.parts("user", rest)})
}

func (r *rendering) result(res chat.Result) (Fenced, []chat.Part) {
	var words strings.Builder
	var images []chat.Part
	for _, p := range res.Parts {
		switch v := p.(type) {
		case chat.Text:
			if words.Len() > 0 {
				words.WriteByte('\n')
			}
			words.WriteString(v.Text)
		default:
			images = append(images, p)
		}
	}
	name := res.Name
	if name == "" {
		name = r.names[res.ID]
	}
	content, broken := keepOpen(words.String(), r.closer)
	var notes []string
	if broken {
		notes = append(notes, `its own closing tags have a backslash`)
	}
	if len(images) > 0 {
		notes = append(notes, pictures(len(images)))
	}
	r.texts = append(r.texts, content)
	front := ""
	for _, n := range r.notes[r.count] {
		front += Note(n) + "\n"
	}
	r.count++
	if front != "" {
		r.note("note", front)
	}
	text := front + fence(r.mark(name, content), name, content, res.Error, notes)
	r.note("result", text)
	place, ok := r.places[res.ID]
	if !ok {
		place = -1
	}
	return Fenced{ID: res.ID, Name: name, Index: place, Text: text, Error: res.Error}, images
}

// mark draws a mark that stands in nothing that was rendered so far.
func (r *rendering) mark(tool, content string) string {
	prompt := r.prompt.Sum(nil)
	for n := uint64(0); ; n++ {
		m := mark(r.key, tool, prompt, content, n)
		if !slices.ContainsFunc(r.texts, func(t string) bool { return strings.Contains(t, m) }) {
			return m
		}
	}
}
