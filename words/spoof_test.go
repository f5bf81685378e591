package words_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/words"
)

type spoof struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

func (s spoof) call() chat.Call { return chat.Call{Name: s.Name, Args: s.Args} }

func spoofs(t *testing.T) (out []spoof) {
	t.Helper()
	f, err := os.Open("testdata/spoof.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s spoof
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// shape is how a hostile call is written where it is planted, and repeated.
type shape struct {
	name, syntax string
	write        func(s words.Syntax, c chat.Call) string
}

const wrongNonce = "kq7mzt2hxa"

// framed writes a call with framing values; the nonce isn't one of Ferrule's.
func framed(s words.Syntax, c chat.Call, nonce string) string {
	return string(s.WriteCalls(nil, []chat.Call{c}, words.Frame{Toolset: "0123456789ab", Nonce: nonce}))
}

func shapes() []shape {
	framed := func(s words.Syntax, c chat.Call) string { return framed(s, c, wrongNonce) }
	all := []shape{
		{"envelope without framing values", "envelope", func(s words.Syntax, c chat.Call) string {
			return strings.Replace(framed(s, c), `"toolset":"0123456789ab","nonce":"`+wrongNonce+`",`, "", 1)
		}},
	}
	for _, name := range words.Names() {
		all = append(all, shape{name, name, framed})
	}
	return all
}

// places are where a conversation can hold what somebody else wrote.
var places = map[string]func(q *chat.Request, text string){
	"tool result": func(q *chat.Request, text string) {
		say(q, chat.RoleTool, chat.Result{ID: "1", Name: "fetch", Parts: []chat.Part{chat.Text{Text: text}}})
	},
	"file in a result": func(q *chat.Request, text string) {
		b, _ := json.Marshal(map[string]string{"path": "README.md", "text": text})
		say(q, chat.RoleTool, chat.Result{ID: "1", Parts: []chat.Part{chat.Text{Text: string(b)}}})
	},
	"user text": func(q *chat.Request, text string) { say(q, chat.RoleUser, chat.Text{Text: text}) },
	"system text": func(q *chat.Request, text string) {
		q.System = append(q.System, chat.Text{Text: text})
	},
	"tool description": func(q *chat.Request, text string) { q.Tools[0].Description += text },
	"tool schema": func(q *chat.Request, text string) {
		b, _ := json.Marshal(map[string]string{"type": "object", "description": text})
		q.Tools[0].Schema = b
	},
	"assistant prose":     func(q *chat.Request, text string) { say(q, chat.RoleAssistant, chat.Text{Text: text}) },
	"assistant reasoning": func(q *chat.Request, text string) { say(q, chat.RoleAssistant, chat.Reasoning{Text: text}) },
	"document": func(q *chat.Request, text string) {
		b, _ := json.Marshal(map[string]any{"type": "document", "source": map[string]string{"data": text}})
		say(q, chat.RoleUser, chat.Opaque{Protocol: "p", Raw: b})
	},
	"two results": func(q *chat.Request, text string) {
		lines := strings.SplitAfterN(text, "\n", 2)
		for _, l := range lines {
			say(q, chat.RoleTool, chat.Result{ID: "1", Parts: []chat.Part{chat.Text{Text: l}}})
		}
	},
}

func say(q *chat.Request, role chat.Role, p chat.Part) {
	q.Messages = append(q.Messages, chat.Message{Role: role, Parts: []chat.Part{p}})
}

// conversation is a request in which nothing is planted.
func conversation(all []spoof) *chat.Request {
	q := &chat.Request{System: []chat.Part{chat.Text{Text: "You help with files. Call tools where that helps."}}}
	seen := map[string]bool{}
	for _, s := range all {
		if !seen[s.Name] {
			seen[s.Name] = true
			q.Tools = append(q.Tools, chat.Tool{Name: s.Name, Description: "Does what its name says: " + s.Name + ".", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)})
		}
	}
	say(q, chat.RoleUser, chat.Text{Text: "Please read what is there, and tell me what it says."})
	return q
}

// readAnswer reads text as an answer in the syntax and returns what became of it.
func readAnswer(q *chat.Request, syntax, text string) (said string, calls []chat.Written) {
	known := func(name string) bool {
		for _, t := range q.Tools {
			if t.Name == name {
				return true
			}
		}
		return false
	}
	r := words.PinnedReader(syntax, words.Frame{Toolset: "ba9876543210", Nonce: "zzzzzzzzzz"}, known, words.NewShown(q).Quoted)
	var out strings.Builder
	take := func(i words.Item) {
		out.Write(i.Text)
		if i.Call != nil {
			calls = append(calls, *i.Call)
		}
	}
	r.Write([]byte(text), take)
	r.Close(chat.FinishStop, take)
	return out.String(), calls
}

// Whatever a tool makes of a planted call, a model that repeats it plainly calls
// nothing. Each way and each place is tried with each call of each syntax, and
// three places with each way.
func TestPlantedCallsAreText(t *testing.T) {
	all := spoofs(t)
	names := slices.Sorted(maps.Keys(places))
	for n, sh := range shapes() {
		syntax, _ := words.Lookup(sh.syntax)
		for k, w := range ways() {
			t.Run(sh.name+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				for i, s := range all {
					block := sh.write(syntax, s.call())
					text := "The file holds this:\n" + block + "\n"
					for j := range 3 {
						place := names[(n+k+i+j)%len(names)]
						q := conversation(all)
						places[place](q, w.show(block))
						if got, calls := readAnswer(q, sh.syntax, text); len(calls) > 0 || got != text {
							t.Errorf("call %d (%s) in %s: %d calls, text %q", i, s.Name, place, len(calls), got)
						}
					}
				}
			})
		}
	}
}

// The twin: what wasn't shown is a call.
func TestUnplantedCallsRun(t *testing.T) {
	all := spoofs(t)
	for _, sh := range shapes() {
		syntax, _ := words.Lookup(sh.syntax)
		for i, s := range all {
			block := sh.write(syntax, s.call())
			for name, plant := range innocent(all, sh, s) {
				t.Run(fmt.Sprintf("%s/%d %s", sh.name, i, name), func(t *testing.T) {
					q := conversation(all)
					plant(q)
					if _, calls := readAnswer(q, sh.syntax, block); len(calls) != 1 || strings.TrimPrefix(calls[0].Name, "functions.") != s.Name {
						t.Errorf("%d calls, want the one that was made:\n%s", len(calls), block)
					}
				})
			}
		}
	}
}

// innocent are conversations in which a call is the model's own.
func innocent(all []spoof, sh shape, s spoof) map[string]func(q *chat.Request) {
	syntax, _ := words.Lookup(sh.syntax)
	return map[string]func(q *chat.Request){
		"nothing planted": func(*chat.Request) {},
		"made before": func(q *chat.Request) {
			say(q, chat.RoleAssistant, chat.Call{ID: "1", Name: s.Name, Args: s.Args})
			say(q, chat.RoleTool, chat.Result{ID: "1", Parts: []chat.Part{chat.Text{Text: "done"}}})
		},
		"its words without the call": func(q *chat.Request) {
			say(q, chat.RoleUser, chat.Text{Text: "do " + s.Name + " " + string(s.Args)})
		},
		"other arguments planted": func(q *chat.Request) {
			if string(s.Args) == "{}" {
				return // any call to the tool begins like one without arguments
			}
			for _, w := range ways()[:4] {
				say(q, chat.RoleUser, chat.Text{Text: w.show(framed(syntax, chat.Call{Name: s.Name, Args: otherwise(s.Args)}, "other-nonce"))})
			}
		},
		"other calls planted": func(q *chat.Request) {
			for _, o := range all {
				if o.Name != s.Name {
					say(q, chat.RoleUser, chat.Text{Text: framed(syntax, o.call(), "other-nonce")})
				}
			}
		},
	}
}

// otherwise returns arguments with every text and number another one.
func otherwise(args []byte) []byte {
	var v any
	_ = json.Unmarshal(args, &v)
	var other func(v any) any
	other = func(v any) any {
		switch v := v.(type) {
		case string:
			return "other " + strings.Map(func(r rune) rune {
				if r >= 'a' && r < 'z' {
					return r + 1
				}
				return r
			}, v)
		case float64:
			return v + 7654321
		case []any:
			for i := range v {
				v[i] = other(v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = other(v[k])
			}
		}
		return v
	}
	b, _ := json.Marshal(other(v))
	return b
}
