package refusal

import (
	"bytes"
	"strconv"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// Figures are the tokens of which a fault of the class ContextOverflow tells;
// 0 where it doesn't say.
type Figures struct {
	Limit      int // the model's window
	Requested  int // all that was asked for, the answer with it
	Prompt     int
	Messages   int
	Functions  int
	Completion int
}

// figureRows are the sentences in which figures stand.
var figureRows = []struct {
	is   pattern
	into []func(*Figures) *int
}{
	{compile("maximum context length is <n> tokens"), []func(*Figures) *int{limit}},
	{compile("you requested <n> tokens"), []func(*Figures) *int{requested}},
	{compile("(<n> in the messages"), []func(*Figures) *int{messages}},
	{compile("<n> in the functions"), []func(*Figures) *int{functions}},
	{compile("<n> in the completion"), []func(*Figures) *int{completion}},
	{compile("your messages resulted in <n> tokens"), []func(*Figures) *int{prompt}},
	{compile("request (<n> tokens) exceeds the available context size (<n> tokens)"), []func(*Figures) *int{prompt, limit}},
	{compile("prompt is too long: <n> tokens > <n> maximum"), []func(*Figures) *int{prompt, limit}},
	{compile("input token count (<n>) exceeds the maximum number of tokens allowed (<n>)"), []func(*Figures) *int{prompt, limit}},
	{compile("input length (<n>) exceeds model's maximum context length (<n>)"), []func(*Figures) *int{prompt, limit}},
	{compile("the input (<n> tokens) is longer than the model's context length (<n> tokens)"), []func(*Figures) *int{prompt, limit}},
	{compile("n_keep (<n>) >= n_ctx (<n>)"), []func(*Figures) *int{prompt, limit}},
}

// figureKeys are members of an error that hold figures.
var figureKeys = map[string]func(*Figures) *int{"n_prompt_tokens": prompt, "n_ctx": limit}

func limit(f *Figures) *int      { return &f.Limit }
func requested(f *Figures) *int  { return &f.Requested }
func prompt(f *Figures) *int     { return &f.Prompt }
func messages(f *Figures) *int   { return &f.Messages }
func functions(f *Figures) *int  { return &f.Functions }
func completion(f *Figures) *int { return &f.Completion }

// FiguresOf returns the figures of a context overflow, for the error that the
// client is told: its compaction goes by them.
func FiguresOf(f *chat.Fault) (out Figures) {
	if f == nil {
		return out
	}
	low := newSaid(f).low
	for _, x := range figureRows {
		h, ok := x.is.in(low)
		if !ok || len(h.counts) != len(x.into) {
			continue
		}
		for i, field := range x.into {
			if at := field(&out); *at == 0 {
				*at = h.counts[i]
			}
		}
	}
	if f.Wire != nil && len(f.Wire.Body) <= maxText && rawjson.Valid(f.Wire.Body, rawjson.MaxDepth) == nil {
		numbers(f.Wire.Body, &out)
	}
	return out
}

// numbers reads the figures that are members, at any depth.
func numbers(b []byte, out *Figures) {
	b = bytes.TrimSpace(b)
	switch rawjson.Kind(b) {
	case '{':
		_ = rawjson.Members(b, func(k, v []byte) bool {
			if field, ok := figureKeys[string(k)]; ok {
				if n, err := strconv.Atoi(string(bytes.TrimSpace(v))); err == nil && n > 0 && *field(out) == 0 {
					*field(out) = n
				}
			}
			numbers(v, out)
			return true
		})
	case '[':
		_ = rawjson.Elements(b, func(v []byte) bool {
			numbers(v, out)
			return true
		})
	}
}
