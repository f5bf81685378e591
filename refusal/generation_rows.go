package refusal

import "strings"

// generationKeys are members of an error that hold what the model wrote.
var generationKeys = []struct{ key, source string }{
	{"failed_generation", "huggingface/smolagents#1119, langchain-ai/langchain#31440, groq/groq-typescript#28"},
}

// generationMark is a sentence of an error that holds what the model wrote.
type generationMark struct {
	before string // the words in front of it
	number bool   // a number and ": " follow those; at 0 the whole answer is there
	behind string // the last of these ends it; "": the end of the text does
	extent Extent
	source string
}

var generationMarks = []generationMark{
	{before: "Failed to parse input at pos ", number: true, extent: Rest, source: "pwilkin/llama.cpp#5, antoinezambelli/forge#127"},
	{before: "error parsing tool call: raw='", behind: "', err=", extent: Arguments, source: "ollama/ollama#17638, ollama/ollama#12884"},
	// The model's tools are functions of a module there, and a call is what it prints.
	{before: "Malformed function call: print(default_api.", behind: ")", extent: Whole, source: "mozilla-ai/any-llm#1202"},
	{before: "Malformed function call: ", extent: Whole, source: "google-gemini/gemini-cli#12674"},
}

// in returns what stands at the mark in a text.
func (m *generationMark) in(s string) (g Generation, ok bool) {
	_, text, ok := strings.Cut(s, m.before)
	if !ok {
		return g, false
	}
	g = Generation{Extent: m.extent, Source: m.source}
	if m.number {
		rest := strings.TrimLeft(text, "0123456789")
		number := text[:len(text)-len(rest)]
		if text, ok = strings.CutPrefix(rest, ": "); !ok || number == "" {
			return g, false
		}
		if strings.Trim(number, "0") == "" {
			g.Extent = Whole
		}
	}
	if m.behind != "" {
		i := strings.LastIndex(text, m.behind)
		if i < 0 {
			return g, false
		}
		text = text[:i]
	}
	g.Text = text
	return g, strings.TrimSpace(text) != ""
}
