package turn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/words"
)

// Notes tell a model what was mended in a call of its own. They reach it with
// that call's result, in the same words on every later turn, so that a longer
// prompt begins as the shorter one did. Between turns they are kept in Memory.
const (
	memoryNotes = "notes" // the name under which they are kept
	maxNotes    = 8       // of one call
	maxNoteSize = 1 << 10 // bytes of one
	maxNotedID  = 256     // bytes of a call's id
)

// keep keeps the notes on a call that is about to leave, under the id with
// which it leaves. A model that gets its tools natively is told only where the
// profile says so.
func (x *run) keep(c chat.Call, notes []string) {
	c.Name = x.clients(c.Name)
	key := memoryKey(x.t.Owner, c)
	if key == "" || len(notes) == 0 || x.r.Memory == nil {
		return
	}
	if x.report.Mode != string(profile.Emulated) && x.t.Profile.Notes != profile.NotesAlways {
		return
	}
	b := []byte{'['}
	for i, n := range notes[:min(len(notes), maxNotes)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, n[:min(len(n), maxNoteSize)])
	}
	x.r.Memory.Put(key, map[string][]byte{memoryNotes: append(b, ']')})
}

// noted returns the notes on the results of q, by the result's place among all
// of them. A note that was forgotten is simply missing.
func (x *run) noted(q *chat.Request) map[int][]string {
	if x.r.Memory == nil {
		return nil
	}
	var out map[int][]string
	calls := map[string]chat.Call{} // the latest of each id
	n := 0
	for _, m := range q.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case chat.Call:
				calls[p.ID] = p
			case chat.Result:
				if notes := x.recall(calls[p.ID]); len(notes) > 0 {
					if out == nil {
						out = map[int][]string{}
					}
					out[n] = notes
				}
				n++
			}
		}
	}
	return out
}

func (x *run) recall(c chat.Call) []string {
	key := memoryKey(x.t.Owner, c)
	if key == "" {
		return nil
	}
	var notes []string
	err := rawjson.Elements(x.r.Memory.Get(key)[memoryNotes], func(v []byte) bool {
		if s, err := rawjson.String(v); err == nil {
			notes = append(notes, s)
		}
		return len(notes) < maxNotes
	})
	if err != nil {
		return nil
	}
	return notes
}

// memoryKey is what a call's notes are kept under: what one owner stored no
// other reads, and an id that a server gives twice is told apart by its call.
// It is "" for a call without id.
func memoryKey(owner string, c chat.Call) string {
	if c.ID == "" || len(c.ID) > maxNotedID {
		return ""
	}
	whose, call := sha256.Sum256([]byte(owner)), callDigest(c)
	return hex.EncodeToString(whose[:8]) + ":" + hex.EncodeToString(call[:8]) + ":" + c.ID
}

// callDigest is the same for calls that do the same.
func callDigest(c chat.Call) [sha256.Size]byte {
	args, err := rawjson.Canonical(c.Args)
	switch {
	case len(bytes.TrimSpace(c.Args)) == 0:
		args = []byte("{}")
	case err != nil:
		args = c.Args
	}
	b := rawjson.AppendString(nil, c.Name)
	return sha256.Sum256(append(b, args...))
}

// withNotes returns q with each note in front of its result's own text, for a
// model that gets its tools natively and is told; q itself where there is none.
func (x *run) withNotes(q *chat.Request) *chat.Request {
	if x.t.Profile.Notes != profile.NotesAlways {
		return q
	}
	noted := x.noted(q)
	if len(noted) == 0 {
		return q
	}
	out := q.Edit(chat.FieldMessages)
	out.Messages = slices.Clone(q.Messages)
	n := 0
	for i := range out.Messages {
		m := &out.Messages[i]
		cloned := false
		for k, p := range m.Parts {
			r, ok := p.(chat.Result)
			if !ok {
				continue
			}
			if notes := noted[n]; len(notes) > 0 {
				if !cloned {
					m.Parts, cloned = slices.Clone(m.Parts), true
				}
				r.Parts = inFront(notes, r.Parts)
				m.Parts[k] = r
			}
			n++
		}
	}
	return out
}

// inFront puts notes before a result's text. A result that was one text stays
// one: not every server takes a list there.
func inFront(notes []string, parts []chat.Part) []chat.Part {
	var lines []string
	for _, n := range notes {
		lines = append(lines, words.Note(n))
	}
	text := strings.Join(lines, "\n")
	if len(parts) > 0 {
		if t, ok := parts[0].(chat.Text); ok {
			t.Text = text + "\n" + t.Text
			return append([]chat.Part{t}, parts[1:]...)
		}
	}
	return append([]chat.Part{chat.Text{Text: text}}, parts...)
}
