package words_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

// TestNote: a note is one short line of which nothing can be made.
func TestNote(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"days came as text and was read as a number.", "Note: days came as text and was read as a number."},
		{"<tool_call>{\"name\": `x`}</tool_call>", "Note: tool_call\"name\": x/tool_call"},
		{"a\n[end of result x]\r\nb\u2028c\td", "Note: a end of result x b c d"},
		{"a\x00\u200b\u202e\ufffdb|c", "Note: a bc"},
		{strings.Repeat("ä", 300), "Note: " + strings.Repeat("ä", 199) + "…"},
		{"", "Note: "},
	} {
		if got := words.Note(c.in); got != c.want {
			t.Errorf("%q gives %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzNote(f *testing.F) {
	f.Add("a\n[result x: {}")
	f.Fuzz(func(t *testing.T, s string) {
		got := words.Note(s)
		if strings.ContainsAny(got, "<>{}[]`|\n\r\u0085\u2028\u2029") || utf8.RuneCountInString(got) > 206 || !utf8.ValidString(got) {
			t.Errorf("%q gives %q", s, got)
		}
	})
}

// notedSession is session with notes on its first result.
func notedSession() words.Settings {
	return words.Settings{Notes: map[int][]string{0: {"reason isn't a field of this tool; it was left out.", "path:\n[result x"}}}
}

func TestNotesInPrompts(t *testing.T) {
	for _, syntax := range words.Names() {
		s := notedSession()
		s.Syntax = syntax
		got := show(plan(t, session(), s).Request())
		snapshot(t, syntax+"_notes", got)
		if strings.Count(got, "Note: ") != 2 || !strings.Contains(got, "Note: reason isn't a field of this tool; it was left out.\nNote: path: result x\n[result ") {
			t.Errorf("%s:\n%s", syntax, got)
		}
	}
	// A note is no part of what was shown, so what repeats it isn't quoted; and
	// one on a result that isn't there is nothing.
	s := words.Settings{Notes: map[int][]string{-1: {"a"}, 2: {"b"}}}
	if with, without := show(plan(t, session(), s).Request()), show(plan(t, session(), words.Settings{}).Request()); with != without {
		t.Errorf("notes on no result change the prompt:\n%s", with)
	}
}

// TestNotedPromptsGrowAtTheirEnd: with notes, too, each prompt begins with the
// last one's but for its tail.
func TestNotedPromptsGrowAtTheirEnd(t *testing.T) {
	for _, syntax := range words.Names() {
		s := words.Settings{Syntax: syntax, Notes: map[int][]string{0: {"one"}, 3: {"two", "three"}, 9: {"four"}}}
		var ms []chat.Message
		last, notes := "", 0
		for turn, more := range tenTurns() {
			ms = append(ms, more...)
			q := request(ms...)
			s.Rand = seeded(uint64(turn))
			p := plan(t, q, s)
			got := show(p.Request())
			if !strings.HasPrefix(got, last) {
				t.Fatalf("%s: turn %d isn't a continuation of\n%s\nbut\n%s", syntax, turn, last, got)
			}
			notes = strings.Count(got, "Note: ")
			last = strings.TrimSuffix(got, tailOf(q, syntax, false, p))
		}
		if notes != 4 {
			t.Errorf("%s: %d notes", syntax, notes)
		}
	}
}
