package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ferrule/ferrule/schema"
)

func TestFirstSentence(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"  \n ", ""},
		{"Reads a file.", "Reads a file."},
		{"Reads a file. Slowly.", "Reads a file."},
		{"Reads a file", "Reads a file"},
		{"Reads a\nfile. Slowly.", "Reads a file."},
		{"Reads a file\n\nUsage: see below.", "Reads a file"},
		{"Reads a file:\n- one\n- two", "Reads a file:"},
		{"Steps:\n1. one\n2. two", "Steps:"},
		{"- one\n- two", "- one"},
		{"# Read\n\nReads a file. Slowly.", "Reads a file."},
		{"# Read", "Read"},
		{"Reads a file, e.g. a.txt or v1.2. Slowly.", "Reads a file, e.g. a.txt or v1.2."},
		{"Files (e.g. a.txt). More.", "Files (e.g. a.txt)."},
		{"Is it there? Yes.", "Is it there?"},
		{`It is "there." More.`, `It is "there."`},
		{"读取文件。然后返回。", "读取文件。"},
		{"Really? \xff\xfe. Yes.", "Really?"},
		{"\xff\xfe. Yes.", "\xff\xfe."},
		{strings.Repeat("word ", 100), strings.TrimSpace(strings.Repeat("word ", 47)) + "…"},
		{strings.Repeat("é", 200), strings.Repeat("é", 118) + "…"},
	} {
		if got := schema.FirstSentence(c.text); got != c.want {
			t.Errorf("%q\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, c := range []struct{ name, src, sentences, shape string }{
		{
			"prose goes, what is checked stays",
			`{"$schema":"http://json-schema.org/draft-07/schema#","title":"T","type":"object","properties":{"a":{"type":"string","description":"One. Two.","minLength":1,"default":"x","examples":["y"]}},"required":["a"],"additionalProperties":false,"x-order":1}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"One.","minLength":1,"default":"x"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`,
		},
		{
			"a field may have any name",
			`{"type":"object","properties":{"description":{"type":"string"},"title":{"type":"string","title":"T"},"default":{"type":"integer"},"format":{"enum":["a. b","c"]},"x-y":{"type":"string"}},"required":["description","title"]}`,
			`{"type":"object","properties":{"description":{"type":"string"},"title":{"type":"string"},"default":{"type":"integer"},"format":{"enum":["a. b","c"]},"x-y":{"type":"string"}},"required":["description","title"]}`,
			`{"type":"object","properties":{"description":{"type":"string"},"title":{"type":"string"},"default":{"type":"integer"},"format":{"enum":["a. b","c"]},"x-y":{"type":"string"}},"required":["description","title"]}`,
		},
		{
			"data isn't looked into",
			`{"properties":{"a":{"const":{"title":"t","description":"One. Two."}},"b":{"default":{"title":"t"},"enum":[{"title":"t"}]}}}`,
			`{"properties":{"a":{"const":{"title":"t","description":"One. Two."}},"b":{"default":{"title":"t"},"enum":[{"title":"t"}]}}}`,
			`{"properties":{"a":{"const":{"title":"t","description":"One. Two."}},"b":{"enum":[{"title":"t"}]}}}`,
		},
		{
			"inside lists, forms and definitions",
			`{"properties":{"l":{"type":"array","items":{"title":"I","anyOf":[{"description":"A. B.","type":"string","pattern":"^a"},{"$ref":"#/$defs/d"}]},"maxItems":3}},"$defs":{"d":{"title":"D","type":"integer","minimum":1.50}}}`,
			`{"properties":{"l":{"type":"array","items":{"anyOf":[{"description":"A.","type":"string","pattern":"^a"},{"$ref":"#/$defs/d"}]},"maxItems":3}},"$defs":{"d":{"type":"integer","minimum":1.50}}}`,
			`{"properties":{"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/d"}]}}},"$defs":{"d":{"type":"integer"}}}`,
		},
		{
			"a default that is a sentence",
			`{"properties":{"a":{"default":"whatever the user said in the last message"},"b":{"default":"/usr/share/a/very/long/path/without/blanks"}}}`,
			`{"properties":{"a":{},"b":{"default":"/usr/share/a/very/long/path/without/blanks"}}}`,
			`{"properties":{"a":{},"b":{}}}`,
		},
		{"further fields of a type", `{"additionalProperties":{"type":"string","title":"T"}}`, `{"additionalProperties":{"type":"string"}}`, `{"additionalProperties":{"type":"string"}}`},
		{"true", ` true `, `true`, `true`},
		{"the order of keys", `{ "required" : ["b","a"], "type":"object", "properties":{"b":{}, "a":{}} }`, `{"required":["b","a"],"type":"object","properties":{"b":{},"a":{}}}`, `{"required":["b","a"],"type":"object","properties":{"b":{},"a":{}}}`},
	} {
		for d, want := range map[schema.Detail]string{schema.Sentences: c.sentences, schema.Shape: c.shape} {
			got, err := schema.Brief([]byte(c.src), d)
			if err != nil {
				t.Fatal(c.name, err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("%s, %d: %s", c.name, d, diff)
			}
		}
	}
	for _, bad := range []string{"", "{", `{"a":}`, strings.Repeat("[", 100)} {
		if got, err := schema.Brief([]byte(bad), schema.Shape); err == nil {
			t.Errorf("%q: %s", bad, got)
		}
	}
}

// TestBriefSaysTheSame: with first sentences a schema takes what it took and
// refuses what it refused; as a shape it has the same fields, needs the same of
// them and takes all that it took.
func TestBriefSaysTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := drawObject(r, 3)
		src := strings.ReplaceAll(d.src, `"type":`, `"description":"One. Two.","title":"T","type":`)
		full := mustCompile(r, []byte(src))
		for _, detail := range []schema.Detail{schema.Sentences, schema.Shape} {
			b, err := schema.Brief([]byte(src), detail)
			if err != nil {
				r.Fatal(err)
			}
			if again, err := schema.Brief(b, detail); err != nil || string(again) != string(b) {
				r.Fatalf("%s becomes %s: %v", b, again, err)
			}
			s := mustCompile(r, b)
			if diff := cmp.Diff(full.Properties(), s.Properties()); diff != "" {
				r.Fatalf("%s: %s", b, diff)
			}
			if ps := s.Check([]byte(d.value)); ps != nil {
				r.Fatalf("%s doesn't take %s: %v", b, d.value, ps)
			}
			for _, v := range []string{"{}", `{"zz":1}`, strings.Replace(d.value, ":", ":[],\"zz\":", 1)} {
				ok, was := s.Check([]byte(v)) == nil, full.Check([]byte(v)) == nil
				if was && !ok || detail == schema.Sentences && ok != was {
					r.Fatalf("%s: %s passes: %v, before %v", b, v, ok, was)
				}
			}
		}
	})
}

func mustCompile(r *rapid.T, src []byte) *schema.Schema {
	s, err := schema.Compile(src)
	if err != nil {
		r.Fatalf("%s: %v", src, err)
	}
	return s
}

func FuzzBrief(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"description":"One. Two."}}}`))
	f.Add([]byte(`{"a":1,"a":2,"items":[{"title":1}]}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, d := range []schema.Detail{schema.Sentences, schema.Shape} {
			b, err := schema.Brief(src, d)
			if err != nil {
				continue
			}
			if again, err := schema.Brief(b, d); err != nil || string(again) != string(b) {
				t.Errorf("%q becomes %q: %v", b, again, err)
			}
		}
	})
}
