package words_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/internal/cases"
)

// question is one that none of its tools answers.
type question struct {
	ID    string
	Tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
}

// exampleArgs makes arguments for a tool's fields.
func exampleArgs(schema json.RawMessage) (names []string, object, python string) {
	var s struct {
		Properties map[string]struct{ Type string }
	}
	_ = json.Unmarshal(schema, &s)
	values, literals := []string{}, []string{}
	names = slices.Sorted(maps.Keys(s.Properties))
	for _, name := range names {
		v, ok := map[string]string{"integer": "3", "number": "2.5", "boolean": "true", "array": "[]", "object": "{}"}[s.Properties[name].Type]
		if !ok {
			v = `"Oslo"`
		}
		values = append(values, `"`+name+`": `+v)
		literals = append(literals, name+"="+strings.ReplaceAll(v, "true", "True"))
	}
	return names, "{" + strings.Join(values, ", ") + "}", strings.Join(literals, ", ")
}

// proseAnswers are answers without a call that speak of a tool, by what they show of it.
var proseAnswers = []struct {
	name string
	tell func(name, about string, schema json.RawMessage) string
}{
	{"the name", func(name, _ string, _ json.RawMessage) string {
		return "I'm sorry, but " + name + " can't answer that. What " + name + " does is something else; is there anything it could help with?"
	}},
	{"the signature", func(name, about string, schema json.RawMessage) string {
		names, _, _ := exampleArgs(schema)
		return "All I have is " + name + "(" + strings.Join(names, ", ") + "): " + about + "\n\nThat doesn't help here."
	}},
	{"a call in inline code", func(name, _ string, schema json.RawMessage) string {
		_, _, python := exampleArgs(schema)
		return "`" + name + "(" + python + ")` wouldn't tell you that."
	}},
	{"the call's JSON in a sentence", func(name, _ string, schema json.RawMessage) string {
		_, object, _ := exampleArgs(schema)
		return "I could send {\"name\": \"" + name + "\", \"arguments\": " + object + "} but it has nothing to do with your question."
	}},
	{"the call's JSON in a fence", func(name, _ string, schema json.RawMessage) string {
		_, object, _ := exampleArgs(schema)
		return "A call would be\n\n```json\n{\"name\": \"" + name + "\", \"arguments\": " + object + "}\n```\n\nand that isn't what you asked for."
	}},
	{"the call's JSON on its own line", func(name, _ string, schema json.RawMessage) string {
		_, object, _ := exampleArgs(schema)
		return "A call would be\n{\"name\": \"" + name + "\", \"arguments\": " + object + "}\nand that isn't what you asked for."
	}},
	{"a program", func(name, _ string, schema json.RawMessage) string {
		_, _, python := exampleArgs(schema)
		return "You can do it yourself:\n\n```python\nfrom tools import " + name + "\n\nprint(" + name + "(" + python + "))\n```"
	}},
	{"a Python list", func(name, _ string, schema json.RawMessage) string {
		_, _, python := exampleArgs(schema)
		return "I thought of\n[" + name + "(" + python + ")]\nbut it doesn't fit."
	}},
	{"a table", func(name, about string, schema json.RawMessage) string {
		names, _, _ := exampleArgs(schema)
		return "| tool | takes | does |\n|---|---|---|\n| " + name + " | " + strings.Join(names, ", ") + " | " + strings.ReplaceAll(about, "\n", " ") + " |\n\nNone of them fits."
	}},
	{"the declaration in a fence, words behind", func(name, about string, schema json.RawMessage) string {
		return "What I have is\n\n```json\n" + declaration(name, about, schema) + "\n```\n\nand it doesn't fit."
	}},
	{"the declaration in a fence, last", func(name, about string, schema json.RawMessage) string {
		return "It doesn't fit. All I have is this:\n\n```json\n" + declaration(name, about, schema) + "\n```"
	}},
	{"an answer in JSON", func(name, _ string, _ json.RawMessage) string {
		return "{\"answer\": null, \"reason\": \"" + name + " doesn't fit\"}"
	}},
}

func declaration(name, about string, schema json.RawMessage) string {
	b, _ := json.Marshal(map[string]any{"name": name, "description": about, "parameters": schema})
	return string(b)
}

// TestNegativesQuestions: questions that none of their tools answers, answered
// in prose that speaks of the tools. $NEGATIVES lists a template's false calls.
func TestNegativesQuestions(t *testing.T) {
	counts, all := map[string]*tally{}, tally{}
	n := 0
	for _, file := range []string{"irrelevance", "live_irrelevance"} {
		for line := range cases.Lines(t, "data/bfcl/"+file+".jsonl") {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				t.Fatal(err)
			}
			if n++; len(q.Tools) == 0 || testing.Short() && n%10 != 0 {
				continue
			}
			var tools []chat.Tool
			for _, tool := range q.Tools {
				f := tool.Function
				tools = append(tools, chat.Tool{Name: f.Name, Description: f.Description, Kind: chat.ToolFunction, Schema: f.Parameters})
			}
			d := doors[n%len(doors)]
			l := d.open(t, tools, "hermes-json")
			told := q.Tools[n%len(q.Tools)].Function
			for i, a := range proseAnswers {
				if (n/len(doors)+i)%4 > 0 && os.Getenv("NEGATIVES") == "" {
					continue
				}
				text := a.tell(told.Name, told.Description, told.Parameters)
				why := l.silent(text)
				if counts[a.name] == nil {
					counts[a.name] = &tally{}
				}
				counts[a.name].add(why)
				all.add(why)
				logFalse(t, a.name, q.ID+" through "+d.name, text, why)
				if (n+i)%97 == 0 {
					l.sameInPieces(t, q.ID+", "+a.name+" through "+d.name, text)
				}
			}
		}
	}
	for _, a := range proseAnswers {
		t.Logf("%s: %v false calls", a.name, counts[a.name])
	}
	all.within(t, "questions", mostQuestions)
}
