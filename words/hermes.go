package words

import (
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// hermes is JSON between <tool_call> and </tool_call>: Hermes 2 and 3, Qwen 2.5
// and 3, Granite 4, SmolLM3 and most community fine-tunes are trained on it.
type hermes struct{}

const (
	hermesOpen  = "<tool_call>"
	hermesClose = "</tool_call>"
)

func (hermes) Name() string { return "hermes" }

func (hermes) Openers() []Opener { return []Opener{{Text: hermesOpen, Where: Anywhere}} }

func (hermes) Body(Opener) Body { return newTaggedJSON(hermesOpen, hermesClose) }

func (hermes) WriteContract(b []byte, d Docs) []byte {
	return appendPrompt(b, "hermes_contract", docsOf(d))
}

func (hermes) WriteTail(b []byte, t Tail) []byte {
	return appendPrompt(b, "hermes_tail", policyOf(t))
}

func (hermes) WriteCalls(b []byte, cs []chat.Call, _ Frame) []byte {
	for i, c := range cs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, hermesOpen...), "\n{\"name\": "...)
		b = rawjson.AppendString(b, c.Name)
		b = append(append(b, `, "arguments": `...), argsOf(c)...)
		b = append(append(b, "}\n"...), hermesClose...)
	}
	return b
}

func (hermes) WriteResults(b []byte, rs []Fenced) []byte {
	opener, closer := hermes{}.ResultBlock()
	for i, r := range rs {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(append(b, opener...), '\n')
		b = append(append(b, r.Text...), '\n')
		b = append(b, closer...)
	}
	return b
}

func (hermes) ResultBlock() (opener, closer string) { return "<tool_response>", "</tool_response>" }

var (
	_ Syntax  = hermes{}
	_ Results = hermes{}
)
