package words

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// tagged is a syntax that writes a call as one JSON object, name and arguments,
// between two tags.
type tagged struct {
	name                    string
	open, close             string // of a call
	resultOpen, resultClose string
}

func (s tagged) Name() string { return s.name }

func (s tagged) Openers() []Opener { return []Opener{{Text: s.open, Where: Anywhere}} }

func (s tagged) Body(Opener) Body {
	return newMarkedJSON(jsonMarks{openers: []string{s.open}, closers: []string{s.close}, named: true})
}

func (s tagged) WriteContract(b []byte, d Docs) []byte {
	docs := docsOf(d)
	docs.Open, docs.Close = s.open, s.close
	return appendPrompt(b, "tagged_contract", docs)
}

func (s tagged) WriteTail(b []byte, t Tail) []byte {
	p := policyOf(t)
	p.Open, p.Close = s.open, s.close
	return appendPrompt(b, "tagged_tail", p)
}

func (s tagged) WriteCalls(b []byte, cs []chat.Call, _ Frame) []byte {
	for i, c := range cs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, s.open...), "\n{\"name\": "...)
		b = rawjson.AppendString(b, c.Name)
		b = append(append(b, `, "arguments": `...), argsOf(c)...)
		b = append(append(b, "}\n"...), s.close...)
	}
	return b
}

func (s tagged) WriteResults(b []byte, rs []Fenced) []byte {
	for i, r := range rs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, s.resultOpen...), '\n')
		b = append(append(b, r.Text...), '\n')
		b = append(b, s.resultClose...)
	}
	return b
}

func (s tagged) ResultBlock() (opener, closer string) { return s.resultOpen, s.resultClose }

var (
	_ Syntax  = tagged{}
	_ Results = tagged{}
)
