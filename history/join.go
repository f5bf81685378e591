package history

import (
	"encoding/json"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// gap stands between two texts that became one.
const gap = "\n\n"

// dataMark is the member of a text that says, while Shape is at work, that it
// ends in what a tool answered. Whoever speaks behind it must not be taken for
// the tool, nor the tool for him: then it is closed.
const dataMark = "history.data"

func isData(t chat.Text) bool { return t.Extra[dataMark] != nil }

func asData(text string) chat.Text {
	return chat.Text{Text: text, Extra: chat.Extra{dataMark: json.RawMessage("true")}}
}

// unmarked returns the parts without the marks of data.
func unmarked(ps []chat.Part) []chat.Part {
	var out []chat.Part
	for i, p := range ps {
		if t, ok := p.(chat.Text); ok && isData(t) {
			if out == nil {
				out = append(out, ps...)
			}
			out[i] = chat.Text{Text: t.Text}
		}
	}
	if out == nil {
		return ps
	}
	return out
}

// joined is one list of several. Where plain texts meet they become one, for
// many templates take only that; empty ones go.
func joined(lists ...[]chat.Part) []chat.Part {
	j := joiner{open: -1}
	for _, ps := range lists {
		for _, p := range ps {
			j.add(p)
		}
	}
	j.flush()
	return j.parts
}

type joiner struct {
	parts []chat.Part
	texts []string // plain ones that wait
	data  bool     // the last of them is data
	open  int      // the part that ends in data, -1 for none
}

func (j *joiner) add(p chat.Part) {
	t, ok := p.(chat.Text)
	if !ok {
		j.flush()
		j.parts = append(j.parts, p)
		return
	}
	data := isData(t)
	switch {
	case t.Text == "" && len(t.Extra) == 0:
		return
	case len(t.Extra) > 0 && !data:
		j.close()
		j.flush()
		j.parts = append(j.parts, p)
	default:
		j.close()
		j.texts, j.data = append(j.texts, t.Text), data
	}
}

// close ends the data that the next text stands behind.
func (j *joiner) close() {
	switch {
	case j.data:
		j.texts[len(j.texts)-1] += "\n" + endOfResult
		j.data = false
	case j.open >= 0:
		t := j.parts[j.open].(chat.Text)
		j.parts[j.open] = chat.Text{Text: t.Text + "\n" + endOfResult}
		j.open = -1
	}
}

func (j *joiner) flush() {
	if len(j.texts) == 0 {
		return
	}
	text := strings.Join(j.texts, gap)
	if j.data {
		j.open = len(j.parts)
		j.parts = append(j.parts, asData(text))
	} else {
		j.parts = append(j.parts, chat.Text{Text: text})
	}
	j.texts, j.data = nil, false
}

// inWords is a result as words under a label. Its pictures follow. A line of it
// that reads like the end that joiner writes gets a backslash.
func inWords(label string, r chat.Result) []chat.Part {
	texts := []string{label}
	var rest []chat.Part
	for _, p := range r.Parts {
		if v, ok := p.(chat.Text); ok {
			texts = append(texts, keptOpen(v.Text))
			continue
		}
		rest = append(rest, p)
	}
	return append([]chat.Part{asData(strings.Join(texts, "\n"))}, rest...)
}

func keptOpen(text string) string {
	reserved := strings.TrimSuffix(endOfResult, "]")
	if !strings.Contains(text, reserved) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimLeft(l, " \t\r"), reserved) {
			lines[i] = `\` + l
		}
	}
	return strings.Join(lines, "")
}
