package turn

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/history"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
	"github.com/ferrule/ferrule/words"
)

// spoken is a request as the provider takes it: the tools' schemas and names in
// its dialect, and no choice where it refused one. What is called is checked
// against the client's own schemas, and called by its own names.
func (n *native) spoken(q *chat.Request) *chat.Request {
	if n.unchosen {
		q = q.Edit(chat.FieldTools)
		q.Choice = chat.Choice{}
	}
	q, _ = history.Shape(q, n.rules)
	q = n.brief(q)
	d := n.p.Dialect
	if d == "" || d == schema.Permissive || len(q.Tools) == 0 {
		return q
	}
	n.x.report.Dialect = d
	tools, changed := slices.Clone(q.Tools), false
	for i := range tools {
		t := &tools[i]
		if t.Kind != "" && t.Kind != chat.ToolFunction || len(t.Schema) == 0 {
			continue
		}
		if out, _, err := schema.In(d, t.Schema); err == nil && !bytes.Equal(out, t.Schema) {
			t.Schema, changed = out, true
		}
	}
	names := n.theirs(d, tools)
	if schema.Renames(d) {
		q = n.theirFields(d, q)
	}
	if !changed && names == nil {
		return q
	}
	q = q.Edit(chat.FieldTools)
	q.Tools = tools
	if names != nil {
		q = renamed(q, d, names)
	}
	return q
}

// brief tells of the tools as much as the profile has it.
func (n *native) brief(q *chat.Request) *chat.Request {
	level := levelsOf[n.p.Descriptions]
	if level == words.LevelFull || len(q.Tools) == 0 {
		return q
	}
	n.x.report.Level = level.String()
	q = q.Edit(chat.FieldTools)
	q.Tools = slices.Clone(q.Tools)
	for i := range q.Tools {
		if k := q.Tools[i].Kind; k == "" || k == chat.ToolFunction {
			q.Tools[i] = level.Brief(q.Tools[i])
		}
	}
	return q
}

// levelsOf are the profile's words for how much a model is told of its tools.
var levelsOf = map[profile.Descriptions]words.Level{
	profile.DescribeShort: words.LevelShort,
	profile.DescribeTerse: words.LevelNames,
}

// theirs is what the provider calls each tool, nil where it takes all names.
// With several choices the answer passes as it came, names and all.
func (n *native) theirs(dialect string, tools []chat.Tool) map[string]string {
	if n.several {
		return nil
	}
	own := make([]string, len(tools))
	for i, t := range tools {
		own[i] = t.Name
	}
	var names map[string]string
	for i, name := range schema.Names(dialect, own) {
		if name == own[i] {
			continue
		}
		if names == nil {
			names, n.back = map[string]string{}, map[string]string{}
		}
		names[own[i]], n.back[name] = name, own[i]
	}
	return names
}

// theirFields has the calls of the history name their fields as the dialect does,
// whose names the answer's calls have too.
func (n *native) theirFields(d string, q *chat.Request) *chat.Request {
	if n.several {
		return q
	}
	if n.back == nil {
		n.back = map[string]string{}
	}
	schemas := map[string][]byte{}
	for i := range n.x.q.Tools {
		schemas[n.x.q.Tools[i].Name] = n.x.q.Tools[i].Schema
	}
	n.fields = func(name string, args []byte) []byte { return schema.Ours(d, schemas[name], args) }
	q = q.Edit(chat.FieldMessages)
	q.Messages = slices.Clone(q.Messages)
	for i := range q.Messages {
		m := &q.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j, p := range m.Parts {
			if c, ok := p.(chat.Call); ok {
				c.Args = schema.Theirs(d, schemas[c.Name], c.Args)
				m.Parts[j] = c
			}
		}
	}
	return q
}

// ownFields is a call's arguments under the fields' own names.
func (n *native) ownFields(c chat.Call) []byte {
	if n.fields == nil {
		return c.Args
	}
	return n.fields(n.own(c.Name), c.Args)
}

// own is a tool's own name.
func (n *native) own(name string) string { return cmp.Or(n.back[name], name) }

// renamed gives the tools of a request, and the calls and results of its
// history, the provider's names.
func renamed(q *chat.Request, dialect string, names map[string]string) *chat.Request {
	theirs := func(name string) string {
		if to, ok := names[name]; ok || name == "" {
			return to
		}
		return schema.Names(dialect, []string{name})[0] // of a tool that isn't offered any more
	}
	q = q.Edit(chat.FieldMessages)
	q.Tools = slices.Clone(q.Tools)
	for i := range q.Tools {
		q.Tools[i].Name = theirs(q.Tools[i].Name)
	}
	q.Choice.Name = theirs(q.Choice.Name)
	q.Choice.Allowed = slices.Clone(q.Choice.Allowed)
	for i, name := range q.Choice.Allowed {
		q.Choice.Allowed[i] = theirs(name)
	}
	q.Messages = slices.Clone(q.Messages)
	for i := range q.Messages {
		m := &q.Messages[i]
		m.Parts = slices.Clone(m.Parts)
		for j, p := range m.Parts {
			switch p := p.(type) {
			case chat.Call:
				p.Name = theirs(p.Name)
				m.Parts[j] = p
			case chat.Result:
				p.Name = theirs(p.Name)
				m.Parts[j] = p
			}
		}
	}
	return q
}
