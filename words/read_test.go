package words_test

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// part is an item as tests compare it: texts that follow each other are one.
type part struct {
	Text   string
	Quoted bool
	Think  bool
	Call   *chat.Written
}

type heard []part

func (a *heard) take(i words.Item) {
	if i.Kind == words.ItemCall {
		*a = append(*a, part{Call: i.Call})
		return
	}
	think := i.Kind == words.ItemReasoning
	if n := len(*a); n > 0 && (*a)[n-1].Call == nil && (*a)[n-1].Quoted == i.Quoted && (*a)[n-1].Think == think {
		(*a)[n-1].Text += string(i.Text)
		return
	}
	*a = append(*a, part{Text: string(i.Text), Quoted: i.Quoted, Think: think})
}

// lost reports whether an answer without calls isn't all of a text. Of thinking
// at its head the tags go, of channels the tokens, and the blank space around them.
func (a heard) lost(text string) bool {
	if a.text() == text {
		return false
	}
	bare, thinks := words.Untagged(text)
	squeeze := func(s string) string { return strings.Join(strings.Fields(words.Untokened(s)), "") }
	if thinks && squeeze(words.Unclosed(a.text())) == squeeze(words.Unclosed(bare)) {
		return false
	}
	return !thinks && words.Untokened(text) == text || squeeze(a.text()) != squeeze(bare)
}

func (a heard) text() string {
	var b strings.Builder
	for _, p := range a {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (a heard) calls() []chat.Written {
	var cs []chat.Written
	for _, p := range a {
		if p.Call != nil {
			cs = append(cs, *p.Call)
		}
	}
	return cs
}

// failer is what testing's and rapid's T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newReader(t failer, syntax string, f words.Frame, known func(string) bool, quoted func(chat.Written) bool) *words.Reader {
	t.Helper()
	if _, ok := words.Lookup(syntax); ok {
		return words.PinnedReader(syntax, f, known, quoted)
	}
	r, ok := words.NamedReader(syntax, f, known, quoted)
	if !ok {
		t.Fatalf("no syntax %q", syntax)
	}
	return r
}

// read reads the chunks of one answer.
func read(t failer, syntax string, f words.Frame, known func(string) bool, quoted func(chat.Written) bool, fin chat.Finish, chunks ...string) heard {
	t.Helper()
	return hearAll(newReader(t, syntax, f, known, quoted), fin, chunks...)
}

// hearAll has a Reader read the chunks of one answer.
func hearAll(r *words.Reader, fin chat.Finish, chunks ...string) heard {
	var a heard
	for _, c := range chunks {
		r.Write([]byte(c), a.take)
	}
	r.Close(fin, a.take)
	return a
}

func sameArgs(a, b []byte) bool {
	var x, y any
	if len(a) == 0 {
		a = []byte("{}")
	}
	if len(b) == 0 {
		b = []byte("{}")
	}
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	if s, ok := x.(string); ok && json.Unmarshal([]byte(s), &x) != nil {
		return false
	}
	return reflect.DeepEqual(x, y)
}
