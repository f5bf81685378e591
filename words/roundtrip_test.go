package words_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/words"
)

// What a syntax writes is read back: read(write(calls)) == calls, for any tools,
// any arguments that they take, and any split.

// markup is what means something to one syntax or another.
var markup = append([]string{
	"</parameter>", "<parameter=a>", "<function=f>", "</function>", "</invoke>", `<parameter name="a">`, `<invoke name="f">`,
	"</minimax:tool_call>", "<minimax:tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<tool_call>f\n",
	"<|tool_call>", "<tool_call|>", `<|"|>`, "call:f{", "[TOOL_CALLS]", "[ARGS]", "[/TOOL_RESULTS]", "<|tool_call|>",
	"<｜tool▁calls▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_calls_section_end|>",
	"<|channel|>", "<|message|>", "<|call|>", "<|end|>", "<|start|>assistant", "<|im_end|>", "<|eot_id|>", "<|python_tag|>", "</s>",
	"<![CDATA[", "<value>", "</a>", "<a>", "[f(a=1)]", "f(a='b')", "\\n", `\u003c`, "\r", "True", "None", "0", "12", "1e9", "true", "-1", "a", "ß日本",
}, hostile...)

func genText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(markup), rapid.StringN(0, 6, 12)), 0, 5).Draw(t, "text")
		return strings.ToValidUTF8(strings.Join(parts, ""), "?")
	})
}

func quoted(s string) string { return string(rawjson.AppendString(nil, s)) }

// field is one of a tool's, and what draws a value for it, as JSON.
type field struct {
	name, schema string
	value        *rapid.Generator[string]
}

var whole = rapid.SampledFrom([]string{"0", "-1", "7", "123456789012345678901234567890", "-9007199254740993", "42"})

// genKind draws a schema and values that it takes.
func genKind(depth int) *rapid.Generator[field] {
	return rapid.Custom(func(t *rapid.T) field {
		text := rapid.Map(genText(), quoted)
		kinds := []field{
			{schema: `{"type":"string"}`, value: text},
			{schema: `{"type":"integer"}`, value: whole},
			{schema: `{"type":"number"}`, value: rapid.SampledFrom([]string{"0.5", "-2", "1e21", "1.25E-3", "3", "100000000000000000001.5"})},
			{schema: `{"type":"boolean"}`, value: rapid.SampledFrom([]string{"true", "false"})},
			{schema: `{"enum":["a","null","7","b c","<x>"]}`, value: rapid.SampledFrom([]string{`"a"`, `"null"`, `"7"`, `"b c"`, `"<x>"`})},
			{schema: `{"type":"array","items":{"type":"string"}}`, value: listed(text)},
			{schema: `{"type":"array","items":{"type":"integer"}}`, value: listed(whole)},
			{schema: `{"type":["string","null"]}`, value: rapid.OneOf(text, rapid.Just("null"))},
			{schema: `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, value: rapid.OneOf(whole, rapid.Just("null"))},
			{schema: `{"type":"object"}`, value: object([]field{{name: "k", value: text}, {name: "an odd, \"key\": <x>", value: whole}})},
		}
		if depth > 0 {
			inner := genFields(depth-1).Draw(t, "inner")
			kinds = append(kinds, field{schema: schemaOf(inner), value: object(inner)})
			item := genKind(depth-1).Draw(t, "item")
			kinds = append(kinds, field{schema: `{"type":"array","items":` + item.schema + `}`, value: listed(item.value)})
		}
		return rapid.SampledFrom(kinds).Draw(t, "kind")
	})
}

func genFields(depth int) *rapid.Generator[[]field] {
	names := rapid.OneOf(rapid.StringMatching(`[a-z_]{1,8}`), rapid.SampledFrom([]string{
		"a-b", "a b", "x.y", "ünï", `q"`, "a:b", "a>b", "a\nb", "name", "arguments", "parameters", "from", "None", "7", "a=b", "</parameter>", "<|\"|>",
	}))
	return rapid.Custom(func(t *rapid.T) (fs []field) {
		for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID).Draw(t, "fields") {
			f := genKind(depth).Draw(t, "field")
			f.name = name
			fs = append(fs, f)
		}
		return fs
	})
}

func schemaOf(fs []field) string {
	var props []string
	for _, f := range fs {
		props = append(props, quoted(f.name)+":"+f.schema)
	}
	return `{"type":"object","properties":{` + strings.Join(props, ",") + `}}`
}

// object draws an object of some of the fields.
func object(fs []field) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		members := make([]string, 0, len(fs))
		given := rapid.SliceOfN(rapid.Bool(), len(fs)+1, len(fs)+1).Draw(t, "given")
		for i, f := range fs {
			if given[i] {
				members = append(members, quoted(f.name)+":"+f.value.Draw(t, "value"))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	})
}

func listed(value *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(value, 0, 3), func(vs []string) string { return "[" + strings.Join(vs, ",") + "]" })
}

// trip is some tools, calls of them, and words around the calls.
type trip struct {
	tools          []chat.Tool
	calls          []chat.Call
	before, behind string
	seed           uint64
}

func genTrip() *rapid.Generator[trip] {
	return rapid.Custom(func(t *rapid.T) (out trip) {
		var values []*rapid.Generator[string]
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[A-Za-z][A-Za-z0-9_-]{0,11}`), 1, 3, strings.ToLower).Draw(t, "tools") {
			fs := genFields(1).Draw(t, "fields")
			out.tools = append(out.tools, chat.Tool{Name: name, Schema: []byte(schemaOf(fs))})
			values = append(values, object(fs))
		}
		for range rapid.IntRange(1, 3).Draw(t, "calls") {
			i := rapid.IntRange(0, len(out.tools)-1).Draw(t, "tool")
			out.calls = append(out.calls, called("", out.tools[i].Name, values[i].Draw(t, "args")))
		}
		out.before = rapid.SampledFrom([]string{"", "Let me look.\n", "\n\n", "a\n"}).Draw(t, "before")
		out.behind = rapid.SampledFrom([]string{"", "\n", "<|im_end|>"}).Draw(t, "behind")
		out.seed = rapid.Uint64().Draw(t, "seed")
		return out
	})
}

func TestWrittenCallsAreReadBack(t *testing.T) {
	for _, name := range words.Names() {
		s, _ := words.Lookup(name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := genTrip().Draw(t, "trip")
				set, err := args.Compile(c.tools, args.Options{Parallel: true, Loose: true})
				if err != nil {
					t.Fatal(err)
				}
				known := func(name string) bool { found, _, _ := set.Find(name); return found != nil }
				p, err := words.NewPlan(&chat.Request{Tools: c.tools}, words.Settings{Syntax: name, Key: fenceKey, Rand: seeded(1)})
				if err != nil {
					t.Fatal(err)
				}
				f := words.Frame{Toolset: p.Toolset(), Nonce: p.Nonce(), First: rapid.IntRange(0, 12).Draw(t, "first")}
				text := c.before + string(s.WriteCalls(nil, c.calls, f)) + c.behind
				for _, chunks := range cutWays(text, c.seed) {
					if wrong := c.wrong(name, set, p.Reader(known, nil), chunks); wrong != "" {
						t.Fatalf("in %d pieces: %s\n%s", len(chunks), wrong, text)
					}
				}
				byForms, _ := words.NamedReader(name, f, known, nil)
				if wrong := c.wrong(name, set, byForms, cuts(text, c.seed)); wrong != "" {
					t.Fatalf("by its forms: %s\n%s", wrong, text)
				}
			})
		})
	}
}

// cutWays are the ways in which a text is cut.
func cutWays(text string, seed uint64) [][]string {
	out := [][]string{{text}, bytewise(text), cuts(text, seed)}
	if len(text) <= 80 {
		for i := 1; i < len(text); i++ {
			out = append(out, []string{text[:i], text[i:]})
		}
	}
	return out
}

// wrong says how what was read differs from what was written; "" if it doesn't.
func (c trip) wrong(syntax string, set *args.Set, r *words.Reader, chunks []string) string {
	var a heard
	for _, chunk := range chunks {
		r.Write([]byte(chunk), a.take)
	}
	r.Close(chat.FinishStop, a.take)
	got := a.calls()
	if len(got) != len(c.calls) {
		return fmt.Sprintf("%d calls of %d: %q", len(got), len(c.calls), a.outline())
	}
	for i, w := range got {
		// One JSON object may stand in place of parameters that text can't hold.
		repairs := slices.DeleteFunc(slices.Clone(w.Repairs), func(s string) bool { return s == "json_arguments" })
		if w.Index != i || w.Syntax != syntax || len(repairs) > 0 {
			return fmt.Sprintf("call %d has index %d, syntax %q and the repairs %q", i, w.Index, w.Syntax, repairs)
		}
		read := set.Read(w)
		if read.Problems != nil || len(read.Calls) != 1 {
			return fmt.Sprintf("call %d is refused: %v", i, read.Problems)
		}
		if got, want := read.Calls[0], c.calls[i]; got.Name != want.Name || !sameValue(got.Args, want.Args) {
			return fmt.Sprintf("call %d came back as %s %s, not %s %s", i, got.Name, got.Args, want.Name, want.Args)
		}
	}
	if said := strings.TrimSpace(a.text()); said != strings.TrimSpace(c.before) {
		return fmt.Sprintf("text %q, want %q", said, c.before)
	}
	return ""
}

// sameValue compares JSON by its values, numbers by their digits.
func sameValue(a, b []byte) bool {
	return rawjson.Same(a, b) && json.Valid(a)
}
