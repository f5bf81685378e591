package words_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/words"
)

func isPythonTool(name string) bool { return name == "get_weather" || name == "search" }

// readAs reads an answer by the forms of a family, or all alike.
func readAs(t testing.TB, family string, fin chat.Finish, chunks ...string) heard {
	t.Helper()
	r, ok := words.NamedReader(family, words.Frame{}, isPythonTool, nil)
	if !ok {
		t.Fatalf("no forms for %q", family)
	}
	return hearAll(r, fin, chunks...)
}

// splits are ways to cut a text: by byte, in two, and at random.
func splits(text string) [][]string {
	out := [][]string{bytewise(text)}
	for i := range len(text) {
		out = append(out, []string{text[:i], text[i:]})
	}
	for seed := range uint64(50) {
		out = append(out, cuts(text, seed))
	}
	return out
}

func lines[T any](t testing.TB, file string) (cs []T) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var c T
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cs = append(cs, c)
	}
	return cs
}

type pythonCase struct {
	Note   string   `json:"note"`
	Text   string   `json:"text"`
	Finish string   `json:"finish,omitempty"`
	Out    []string `json:"out"`
}

// Calls in Python's way, with the slips of the models that write them, in any split.
func TestPythonCalls(t *testing.T) {
	const file = "testdata/python.jsonl"
	cs := lines[pythonCase](t, file)
	for i, c := range cs {
		fin := chat.FinishStop
		if c.Finish != "" {
			fin = chat.Finish(c.Finish)
		}
		whole := readAs(t, "auto", fin, c.Text)
		for _, chunks := range splits(c.Text) {
			if got := readAs(t, "auto", fin, chunks...); !reflect.DeepEqual(got, whole) {
				t.Fatalf("%s: in pieces %q: %s", c.Note, chunks, cmp.Diff(whole, got))
			}
		}
		cs[i].Out = whole.outline()
		if !*update {
			if diff := cmp.Diff(c.Out, cs[i].Out); diff != "" {
				t.Errorf("%s: %q\n-want +got:\n%s", c.Note, c.Text, diff)
			}
		}
	}
	if *update {
		rewrite(t, file, cs)
	}
}

func rewrite[T any](t testing.TB, file string, cs []T) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, c := range cs {
		if err := e.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Program code and prose that name a tool are text, to the byte, whatever was asked for.
func TestProgramCodeIsText(t *testing.T) {
	for _, c := range lines[pythonCase](t, "testdata/python_text.jsonl") {
		for _, family := range []string{"auto", "pythonic", "lfm2", "olmo3", "python-tag"} {
			for _, chunks := range append(splits(c.Text), []string{c.Text}) {
				a := readAs(t, family, chat.FinishStop, chunks...)
				if len(a.calls()) > 0 || a.text() != c.Text {
					t.Fatalf("%s, read as %s in %q: %s", c.Note, family, chunks, a.outline())
				}
			}
		}
	}
}

// A literal is the same value in JSON, or no literal.
func TestPythonLiterals(t *testing.T) {
	type literal struct {
		Python string
		JSON   json.RawMessage
		Bad    bool
	}
	for _, c := range lines[literal](t, "testdata/python_literals.jsonl") {
		text := "<|tool_call_start|>[search(a=" + c.Python + ")]<|tool_call_end|>"
		calls := readAs(t, "lfm2", chat.FinishStop, text).calls()
		if len(calls) != 1 {
			t.Errorf("%s: %d calls", c.Python, len(calls))
			continue
		}
		want := `{"a":` + string(c.JSON) + "}"
		switch got := calls[0]; {
		case c.Bad && got.Why == "" && !got.Cut:
			t.Errorf("%s: read as %s", c.Python, got.JSON)
		case !c.Bad && (got.Why != "" || !json.Valid(got.JSON) || !rawjson.Same(got.JSON, []byte(want))):
			t.Errorf("%s: %s %s, want %s", c.Python, got.JSON, got.Why, want)
		}
	}
}

func TestPythonNestingIsBounded(t *testing.T) {
	for depth, ok := range map[int]bool{60: true, 63: true, 64: false, 5000: false} {
		text := "<|tool_call_start|>[search(a=" + strings.Repeat("[", depth) + strings.Repeat("]", depth) + ")]<|tool_call_end|>"
		calls := readAs(t, "lfm2", chat.FinishStop, text).calls()
		if len(calls) != 1 || (calls[0].Why == "") != ok {
			t.Errorf("depth %d: %+v", depth, calls)
		}
	}
}

// asPython writes a value the way Python prints it.
func asPython(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "None"...)
	case bool:
		if v {
			return append(b, "True"...)
		}
		return append(b, "False"...)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case string:
		b = append(b, '\'')
		for _, r := range v {
			switch {
			case r == '\'' || r == '\\':
				b = append(b, '\\', byte(r))
			case r < ' ' || r == 0x2028:
				b = fmt.Appendf(b, `\u%04x`, r)
			default:
				b = append(b, string(r)...)
			}
		}
		return append(b, '\'')
	case []any:
		b = append(b, '[')
		for _, e := range v {
			b = append(asPython(b, e), ", "...)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for k, e := range v {
			b = append(asPython(append(asPython(b, k), ": "...), e), ", "...)
		}
		return append(b, '}')
	}
	panic("no such value")
}

// What Python prints is read back, in each frame and any split.
func TestPythonIsReadBack(t *testing.T) {
	frames := map[string][2]string{
		"lfm2":     {"<|tool_call_start|>[", "]<|tool_call_end|>"},
		"olmo3":    {"<function_calls>\n", "\n</function_calls>"},
		"pythonic": {"[", "]"},
	}
	for family, frame := range frames {
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				var want []map[string]any
				text := frame[0]
				for i := range rapid.IntRange(1, 3).Draw(r, "calls") {
					args := rapid.MapOfN(rapid.StringMatching(`[a-z_][a-z0-9_]{0,8}`), genValue(), 0, 4).Draw(r, "args")
					if i > 0 {
						text += map[bool]string{true: "\n", false: ", "}[family == "olmo3"]
					}
					text += "search("
					for k, v := range args {
						text += k + "=" + string(asPython(nil, v)) + ", "
					}
					text += ")"
					want = append(want, args)
				}
				text += frame[1]
				a := readAs(t, family, chat.FinishStop, cuts(text, rapid.Uint64().Draw(r, "seed"))...)
				calls := a.calls()
				if len(calls) != len(want) || a.text() != "" {
					r.Fatalf("%q: %s", text, a.outline())
				}
				for i, w := range want {
					b, _ := json.Marshal(w)
					if calls[i].Why != "" || !sameArgs(calls[i].JSON, b) {
						r.Fatalf("%q: %s, want %s", text, a.outline(), b)
					}
				}
			})
		})
	}
}

// Whatever stands there, the work grows with the input alone.
func TestPythonWorkIsLinear(t *testing.T) {
	for _, part := range []string{
		"[a(x='", "[a(x=\"\"\"\"\n", "[a(x='''\n[a(x=\"\"\"\n", "[a(x=[\n", "[a(x=1),\n", "[\n", "[a(x=1)\n", "a(x=1)\n", "[a(x=\"\"\"\"\"\"\n'''",
		"<function_calls>", "<function_calls>\n[a", "<function_calls>a(x=", "<function_calls>a(x=1)\n", "<function_calls>a(x=1) x <|python_tag|>a.call(x=1) y ",
		"<|tool_call_start|>[a(x='", "<|tool_call_start|>[a(x=1)]", "<|tool_call_start|>[a(x=1)]<|tool_call_end|>[a(x=1)]", "<|tool_call_start|><|tool_call_start|>\n",
		"<|python_tag|>a(x='''", "<|python_tag|>a.call(x=1)\n", "<|python_start|>[a(x=1)] and\n",
	} {
		text := strings.Repeat(part, 50_000/len(part))
		for _, chunk := range []int{len(text), 64} {
			r := newReader(t, "auto", words.Frame{}, isPythonTool, nil)
			drop := func(words.Item) {}
			for piece := range slices.Chunk([]byte(text), chunk) {
				r.Write(piece, drop)
			}
			r.Close(chat.FinishStop, drop)
			if r.Work() > 12*len(text) {
				t.Errorf("%q in pieces of %d: %d bytes of work for %d", part, chunk, r.Work(), len(text))
			}
		}
	}
}

func FuzzPythonCalls(f *testing.F) {
	for _, file := range []string{"testdata/python.jsonl", "testdata/python_text.jsonl"} {
		for _, c := range lines[pythonCase](f, file) {
			f.Add(c.Text, uint64(1), true)
		}
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64, stop bool) {
		fin := chat.FinishStop
		if !stop {
			fin = chat.FinishLength
		}
		for _, family := range []string{"lfm2", "olmo3", "pythonic", "python-tag"} {
			whole := readAs(t, family, fin, text)
			if got := readAs(t, family, fin, cuts(text, seed)...); !reflect.DeepEqual(got, whole) {
				t.Fatalf("%s: %s", family, cmp.Diff(whole, got))
			}
			for _, w := range whole.calls() {
				if strings.Contains("lfm2 olmo3 pythonic python-tag", w.Syntax) && w.Why == "" && !w.Cut && len(w.JSON) > 0 &&
					!strings.Contains(text, "{") && rawjson.Valid(w.JSON, 80) != nil {
					t.Fatalf("%s isn't JSON: %s", w.JSON, text)
				}
			}
			if len(whole.calls()) == 0 && whole.lost(text) {
				t.Fatalf("%q came out as %q", text, whole.text())
			}
		}
	})
}

// genValue draws what JSON and Python both have.
func genValue() *rapid.Generator[any] {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.StringN(0, 6, 12)), 0, 6).Draw(t, "text"), "")
	})
	leaf := rapid.OneOf(
		rapid.Map(text, func(s string) any { return strings.ToValidUTF8(s, "?") }),
		rapid.Map(rapid.IntRange(-1e9, 1e9), func(n int) any { return float64(n) }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just(any(nil)),
	)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 3), func(vs []any) any { return vs }),
		rapid.Map(rapid.MapOfN(rapid.Map(text, func(s string) string { return strings.ToValidUTF8(s, "?") }), leaf, 0, 3),
			func(m map[string]any) any { return m }))
}
