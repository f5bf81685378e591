package words

import "github.com/ferrule/ferrule/chat"

// written is a Syntax: a form that is read, and how a model is told of a call
// in it. The contract and the tail are the same for all of them but for these
// words and for the shape of a call, which is a call that calls writes.
type written struct {
	Form
	how     string // behind "To call a tool, "
	several string // how several calls are written; "": one such block for each
	bare    bool   // names don't stand in quotes: the shape has plain words for them
	calls   func(b []byte, cs []chat.Call, f Frame) []byte
	result  func(b []byte, r Fenced) []byte // nil: in the form's block, if it has one
	reads   Form                            // what reads it where another syntax was asked for; nil: Form
}

// unasked is what reads the syntax where it wasn't asked for.
func (s written) unasked() Form {
	if s.reads != nil {
		return s.reads
	}
	return s.Form
}

func (s written) WriteContract(b []byte, d Docs) []byte {
	docs := docsOf(d)
	docs.How, docs.Several = s.how, s.several
	if docs.Several == "" {
		docs.Several = "write one such block for each"
	}
	docs.Shape = s.shape("", Frame{})
	if d.Example != nil {
		docs.Of, docs.Example = d.Example.Name, string(s.calls(nil, []chat.Call{*d.Example}, Frame{}))
	}
	return appendPrompt(b, "contract", docs)
}

func (s written) WriteTail(b []byte, t Tail) []byte {
	p := policyOf(t)
	p.Shape = s.shape(p.Named, t.Frame)
	return appendPrompt(b, "tail", p)
}

func (s written) WriteCalls(b []byte, cs []chat.Call, f Frame) []byte { return s.calls(b, cs, f) }

func (s written) WriteResults(b []byte, rs []Fenced) []byte {
	open, _ := s.ResultBlock()
	for i, r := range rs {
		switch {
		case i > 0 && open == "":
			b = append(b, gap...)
		case i > 0:
			b = append(b, '\n')
		}
		b = s.appendResult(b, r)
	}
	return b
}

func (s written) appendResult(b []byte, r Fenced) []byte {
	open, shut := s.ResultBlock()
	switch {
	case s.result != nil:
		return s.result(b, r)
	case open == "":
		return append(b, r.Text...)
	}
	b = append(append(b, open...), '\n')
	b = append(append(b, r.Text...), '\n')
	return append(b, shut...)
}

// ResultBlock is the form's; "" where that has none.
func (s written) ResultBlock() (opener, closer string) {
	if rs, ok := s.Form.(Results); ok {
		return rs.ResultBlock()
	}
	return "", ""
}

// shape is a call with placeholders: of the named tool, if there is one.
func (s written) shape(tool string, f Frame) string {
	c := placeholder(s)
	if tool != "" {
		c.Name = tool
	}
	return string(s.calls(nil, []chat.Call{c}, f))
}

// placeholder is the call that a prompt shows as the shape of one.
func placeholder(s Syntax) chat.Call {
	if w, ok := s.(written); ok && w.bare {
		return chat.Call{Name: "tool_name", Args: []byte(`{"argument_name":"<value>"}`)}
	}
	return chat.Call{Name: "<tool name>", Args: []byte(`{"<argument>":"<value>"}`)}
}

var (
	_ Syntax  = written{}
	_ Results = written{}
)
