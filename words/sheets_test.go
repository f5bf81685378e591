package words_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sheetCase is one line of testdata/sheets.jsonl: a syntax of the catalogue, or
// a slip that its models make, by the number of its sheet.
type sheetCase struct {
	Sheet    string   `json:"sheet"`
	Note     string   `json:"note"`
	Syntaxes []string `json:"syntaxes,omitempty"` // read as these too, beside "auto"
	Text     string   `json:"text"`
	Content  string   `json:"content,omitempty"`
	Calls    []string `json:"calls,omitempty"`  // name and arguments
	Failed   []string `json:"failed,omitempty"` // why a call can't be made of it
}

const sheetTools = `[
	{"function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "integer"}},
		"s": {"type": "string"}, "o": {"type": "object"}, "f": {"type": "number"}, "n": {"type": ["string", "null"]}}}}},
	{"function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
	{"function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
	{"function": {"name": "my-tool.x", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}
]`

func (c *sheetCase) take(a answer) {
	c.Content, c.Calls, c.Failed = strings.TrimSpace(a.text), nil, a.failed
	for _, call := range a.calls {
		var args bytes.Buffer
		if err := json.Compact(&args, call.Args); err != nil {
			args.Write(call.Args)
		}
		c.Calls = append(c.Calls, call.Name+" "+args.String())
	}
}

// TestSheets reads each syntax and each slip of the catalogue, whole and in pieces.
func TestSheets(t *testing.T) {
	const file = "testdata/sheets.jsonl"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var c sheetCase
		var tools engineCase
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if err := json.Unmarshal([]byte(sheetTools), &tools.Tools); err != nil {
			t.Fatal(err)
		}
		got := c
		for i, syntax := range append([]string{"auto"}, c.Syntaxes...) {
			a := tools.read(t, syntax, c.Text)
			one := c
			if one.take(a); i == 0 {
				got = one
			} else if diff := cmp.Diff(got, one); diff != "" {
				t.Errorf("sheet %s, %s: %q read as auto and as %s: -auto +it\n%s", c.Sheet, c.Note, c.Text, syntax, diff)
			}
			for _, chunks := range [][]string{strings.Split(c.Text, ""), bytewise(c.Text)} {
				if again := tools.read(t, syntax, chunks...); !reflect.DeepEqual(a, again) {
					t.Errorf("sheet %s, %s: %q in pieces %+v, whole %+v", c.Sheet, c.Note, c.Text, again, a)
				}
			}
		}
		if diff := cmp.Diff(c, got); diff != "" && !*update {
			t.Errorf("sheet %s, %s: %q\n-want +got:\n%s", c.Sheet, c.Note, c.Text, diff)
		}
		if err := e.Encode(got); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
