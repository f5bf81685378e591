package jsonmend_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/internal/cases"
	"github.com/ferrule/ferrule/jsonmend"
)

type (
	options = jsonmend.Options
	repairs = []jsonmend.Repair
)

var stopped = options{Stopped: true}

var mendedCases = []struct {
	in, want string
	repairs  repairs
	o        options
}{
	{in: ` {"a" : 1.50, "b":[ ] } `, want: ` {"a" : 1.50, "b":[ ] } `},
	{in: "\uFEFF{\"a\":1}", want: `{"a":1}`, repairs: repairs{jsonmend.StripBOM}},
	{in: "{\u00a0\"a\":1\u3000}", want: `{"a":1}`, repairs: repairs{jsonmend.OddSpaces, jsonmend.OddSpaces}},
	{in: "```json\n{\"a\":1}\n```", want: `{"a":1}`, repairs: repairs{jsonmend.StripFence, jsonmend.StripFence}},
	{in: "`{\"a\":1}`", want: `{"a":1}`, repairs: repairs{jsonmend.StripFence, jsonmend.StripFence}},
	{in: `<tool_call>{"a":1}</tool_call><|im_end|>`, want: `{"a":1}`, repairs: repairs{jsonmend.StripToken, jsonmend.StripToken, jsonmend.StripToken}},
	{in: `<think>{"a":9}</think>{"a":1}`, want: `{"a":1}`, repairs: repairs{jsonmend.StripThinking}},
	{in: "I will look it up: {\"a\":1}", want: `{"a":1}`, repairs: repairs{jsonmend.StripProseBefore}},
	{in: "Here:\n```json\n{\"a\":1}\n```", want: `{"a":1}`, repairs: repairs{jsonmend.StripProseBefore, jsonmend.StripFence}},
	{in: "{\"a\":1}\nHope that helps!", want: `{"a":1}`, repairs: repairs{jsonmend.StripProseAfter}},
	{in: `f({"a":1});`, want: `{"a":1}`, repairs: repairs{jsonmend.StripCall}},
	{in: `f({"a":1})`, want: `{"a":1}`, repairs: repairs{jsonmend.StripCall}},
	{in: "{\"a\":1, // the first: one\n# and\n/* two */\"b\":2}", want: `{"a":1,"b":2}`, repairs: repairs{jsonmend.StripComment, jsonmend.StripComment, jsonmend.StripComment}},
	{in: `{,"a":1,,"b":[1,],}`, want: `{"a":1,"b":[1]}`, repairs: repairs{jsonmend.DropComma, jsonmend.DropComma, jsonmend.DropComma, jsonmend.DropComma}},
	{in: "{\"a\":\"x\"\n\"b\":[\"y\"\n\"z\"]}", want: `{"a":"x","b":["y","z"]}`, repairs: repairs{jsonmend.InsertComma, jsonmend.InsertComma}},
	{in: `{"a":1 "b":2}`, want: `{"a":1,"b":2}`, repairs: repairs{jsonmend.InsertComma}},
	{in: `{'a':'say "x"','b':“y”,"c":` + "`z`" + `}`, want: `{"a":"say \"x\"","b":"y","c":"z"}`, repairs: repairs{jsonmend.NormaliseQuotes, jsonmend.NormaliseQuotes, jsonmend.NormaliseQuotes, jsonmend.NormaliseQuotes, jsonmend.NormaliseQuotes}},
	{in: `{'a': 'it's fine'}`, want: `{"a":"it's fine"}`, repairs: repairs{jsonmend.NormaliseQuotes, jsonmend.NormaliseQuotes, jsonmend.EscapeInnerQuotes}},
	{in: `{a_b:1,$c:2,größe:3}`, want: `{"a_b":1,"$c":2,"größe":3}`, repairs: repairs{jsonmend.QuoteKeys, jsonmend.QuoteKeys, jsonmend.QuoteKeys}},
	{in: `[True,None,undefined]`, want: `[true,null,null]`, repairs: repairs{jsonmend.NormaliseLiterals, jsonmend.NormaliseLiterals, jsonmend.NormaliseLiterals}},
	{in: "[\"a\tb\x00\"]", want: `["a\tb\u0000"]`, repairs: repairs{jsonmend.EscapeControlChars, jsonmend.EscapeControlChars}},
	{in: `["it\'s \d \$HOME"]`, want: `["it's \\d \\$HOME"]`, repairs: repairs{jsonmend.UnescapeQuote, jsonmend.KeepBackslash, jsonmend.KeepBackslash}},
	{in: `[+1,.5,-.5,5.,1_000]`, want: `[1,0.5,-0.5,5.0,1000]`, repairs: repairs{jsonmend.NormaliseNumbers, jsonmend.NormaliseNumbers, jsonmend.NormaliseNumbers, jsonmend.NormaliseNumbers, jsonmend.NormaliseNumbers}},
	{in: `{"a":[1,2}`, want: `{"a":[1,2]}`, repairs: repairs{jsonmend.MissingCloser}},
	{in: `{"a":[1,2},"b":3}`, want: `{"a":[1,2],"b":3}`, repairs: repairs{jsonmend.MismatchedCloser}},
	{in: `{"a":{"b":1],"c":2}`, want: `{"a":{"b":1},"c":2}`, repairs: repairs{jsonmend.MismatchedCloser}},
	{in: `{"a":1}}]`, want: `{"a":1}`, repairs: repairs{jsonmend.ExtraCloser, jsonmend.ExtraCloser}},
	{in: `{"a":{"b":"x"`, want: `{"a":{"b":"x"}}`, repairs: repairs{jsonmend.CloseContainers}, o: stopped},
	{in: "{\"a\":30\n</tool_call>", want: `{"a":30}`, repairs: repairs{jsonmend.CloseContainers, jsonmend.StripToken}, o: stopped},
	{in: `{"a":(1,"x")}`, want: `{"a":[1,"x"]}`, repairs: repairs{jsonmend.TupleToList}},
	{in: `｛"a"：1，"b"：2｝`, want: `{"a":1,"b":2}`, repairs: repairs{jsonmend.FullWidth, jsonmend.FullWidth, jsonmend.FullWidth, jsonmend.FullWidth, jsonmend.FullWidth}},
	{in: `{\"a\": \"x\"}`, want: `{"a": "x"}`, repairs: repairs{jsonmend.UnwrapDoubleEncoded}},
	{in: `"{\"a\":1}"`, want: `{"a":1}`, repairs: repairs{jsonmend.UnwrapDoubleEncoded}, o: options{Object: true}},
	{in: `"{\"a\":1}"`, want: `"{\"a\":1}"`},
	{in: `{"a":"x" + 'y',}`, want: `{"a":"xy"}`, repairs: repairs{jsonmend.JoinStrings, jsonmend.NormaliseQuotes, jsonmend.DropComma}},
	{in: `{"a":"""x "y" z"""}`, want: `{"a":"x \"y\" z"}`, repairs: repairs{jsonmend.NormaliseQuotes}},
	{in: `{"__proto__":1,"constructor":{"prototype":2},}`, want: `{"__proto__":1,"constructor":{"prototype":2}}`, repairs: repairs{jsonmend.DropComma}},
	{in: `{"a":12345678901234567890,}`, want: `{"a":12345678901234567890}`, repairs: repairs{jsonmend.DropComma}},
	{in: `{"a":1,"a":1,}`, want: `{"a":1,"a":1}`, repairs: repairs{jsonmend.DropComma}},
	{in: `{"a":" x ","p":"C:\new","q":"a &amp;&amp; b","r":"~/..",}`, want: `{"a":" x ","p":"C:\new","q":"a &amp;&amp; b","r":"~/.."}`, repairs: repairs{jsonmend.DropComma}},
}

// TestMended: what comes out, and what was done for it.
func TestMended(t *testing.T) {
	for _, c := range mendedCases {
		t.Run(c.in, func(t *testing.T) {
			r, err := jsonmend.Mend([]byte(c.in), c.o)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Value) != c.want {
				t.Errorf("got  %s\nwant %s", r.Value, c.want)
			}
			var got repairs
			for _, m := range r.Repairs {
				got = append(got, m.Repair)
			}
			if d := cmp.Diff(c.repairs, got); d != "" {
				t.Errorf("repairs (-want +got):\n%s", d)
			}
			for _, name := range got {
				o := c.o
				o.Off = map[jsonmend.Repair]bool{name: true}
				if r, err := jsonmend.Mend([]byte(c.in), o); err == nil && string(r.Value) == c.want {
					t.Errorf("%s is switched off and was made", name)
				}
			}
		})
	}
}

var keys = options{Keys: []string{"path", "force"}}

var refusedCases = []struct {
	in   string
	kind error
	twin string
	o    options
}{
	{"", jsonmend.ErrEmpty, `{}`, options{}},
	{" \n", jsonmend.ErrEmpty, ` null`, options{}},
	{`{"a":1}{"b":2}`, jsonmend.ErrRoots, `{"a":1}}`, options{}},
	{`{"a":1},{"a":2}`, jsonmend.ErrRoots, `[{"a":1},{"a":2},]`, options{}},
	{"Either {\"a\":1} or {\"a\":2}", jsonmend.ErrRoots, "Rather {\"a\":1}", options{}},
	{`{"command":"rm -rf /tmp/build`, jsonmend.ErrCutString, `{"command":"rm -rf /tmp/build"`, stopped},
	{`{"path":"/data"`, jsonmend.ErrCut, `{"path":"/data"]`, options{}},
	{`{"ids": [40, {"n": 7`, jsonmend.ErrCutNumber, `{"ids": [40, {"n": 7 `, stopped},
	{`{"a":1.`, jsonmend.ErrCutNumber, `{"a":1. `, stopped},
	{`{"a":-`, jsonmend.ErrCutNumber, `{"a":-1 `, stopped},
	{`{"a":1e`, jsonmend.ErrCutNumber, `{"a":1e1 `, stopped},
	{`{"a":tr`, jsonmend.ErrCut, `{"a":true`, stopped},
	{`{"a":1,`, jsonmend.ErrCut, `{"a":1 `, stopped},
	{`{"a":[`, jsonmend.ErrCut, `{"a":[]`, stopped},
	{`{"a":1 /* so`, jsonmend.ErrCut, `{"a":1 /* so */`, stopped},
	{`{"amount":10,"amount":1000}`, jsonmend.ErrDuplicate, `{"amount":10,"amount":10}`, options{}},
	{`{'amount':10,"amount":1000}`, jsonmend.ErrDuplicate, `{'amount':10,"account":1000}`, options{}},
	{`{"a":{"b":1},"\u0061":{"b":2}}`, jsonmend.ErrDuplicate, `{"a":{"b":1},"c":{"b":2}}`, options{}},
	{`{"a":1, ...}`, jsonmend.ErrEllipsis, `{"a":1, "b":"..."}`, options{}},
	{`[1, 2, /* … */ 9]`, jsonmend.ErrEllipsis, `[1, 2, /* and */ 9]`, options{}},
	{`[1,,2]`, jsonmend.ErrEllipsis, `[1,2,]`, options{}},
	{`{"a":hello}`, jsonmend.ErrUnquoted, `{"a":'hello'}`, options{}},
	{`{"a":2024-01-02}`, jsonmend.ErrUnquoted, `{"a":2024,}`, options{}},
	{`{"a":50%}`, jsonmend.ErrUnquoted, `{"a":+50}`, options{}},
	{`{"a":007}`, jsonmend.ErrReadings, `{"a":7,}`, options{}},
	{`{"a":1,234}`, jsonmend.ErrUnexpected, `{"a":1_234}`, options{}},
	{`{"a","b"}`, jsonmend.ErrUnexpected, `["a","b",]`, options{}},
	{`{"a:1,"b":2}`, jsonmend.ErrUnexpected, `{"a":1,"b":2,}`, options{}},
	{`{"a":"\ud83d"}`, jsonmend.ErrSurrogate, `{"a":"\ud83d\ude00"}`, options{}},
	{`{"a":"\ude00",}`, jsonmend.ErrSurrogate, `{"a":"\ud83d\ude00",}`, options{}},
	{`{"a":"\u12"}`, jsonmend.ErrEscape, `{"a":"\y12"}`, options{}},
	{"[\"" + strings.Repeat("\x01", 65) + "\"]", jsonmend.ErrControls, "[\"" + strings.Repeat("\n\x1b[0m", 65) + "\"]", options{}},
	{"{\"a\":\"\xff\"}", jsonmend.ErrEncoding, "{\"a\":\"\ufffd\"}", options{}},
	{"{\"a\":NaN}", jsonmend.ErrNotFinite, "{\"a\":None}", options{}},
	{"{\"a\":-Infinity}", jsonmend.ErrNotFinite, "{\"a\":-1,}", options{}},
	{`{"message":"fix "bug", "force": true, "note":"x"}`, jsonmend.ErrReadings, `{"message":"fix \"bug\"", "force": true, "note":"x",}`, options{}},
	{`{"message":"fix "bug", "force": true}`, jsonmend.ErrReadings, `{"message":"fix "bug" now", "force": true}`, options{}},
	{"[#fff,\n\"b\"]", jsonmend.ErrUnquoted, "[# fff,\n\"b\"]", options{}},
	{`["x" "y"]`, jsonmend.ErrReadings, "[\"x\"\n\"y\"]", options{}},
	{`{"a":"x" 'y'}`, jsonmend.ErrReadings, `{"a":"x" + 'y'}`, options{}},
	{`{"a":"x""}`, jsonmend.ErrReadings, `{"a":"x "y""}`, options{}},
	{`{"a":"x""b":"y"}`, jsonmend.ErrReadings, `{"a":"x","b":"y",}`, options{}},
	{`{"command":"echo "hi"}`, jsonmend.ErrReadings, `{"command":"echo "hi""}`, options{}},
	{`{"command":"echo "hi"`, jsonmend.ErrReadings, `{"size":"5" tall"}`, stopped},
	{`{"a":"x" "b":"y"}`, jsonmend.ErrReadings, "{\"a\":\"x\"\n\"b\":\"y\"}", options{}},
	{`{"path":"a.txt,"content":"x"}`, jsonmend.ErrReadings, `{"path":"a.txt","content":'x'}`, options{}},
	{`{"text":"{"path": 1}"}`, jsonmend.ErrReadings, `{"text":"{"name": 1}"}`, keys},
	{`{"path":"/x" /* , "dry_run": true */}`, jsonmend.ErrHiddenMember, `{"path":"/x" /* not dry */}`, options{}},
	{"{\"path\":\"/x\" // force: yes\n}", jsonmend.ErrHiddenMember, "{\"path\":\"/x\" // see: yes\n}", keys},
	{"{\"path\":\"/x\" // timeout: 30\n}", jsonmend.ErrHiddenMember, "{\"path\":\"/x\" // http://x.y\n}", options{}},
	{`{"x":{"a":[1,2},"b":3}}`, jsonmend.ErrReadings, `{"x":{"a":[1,2]},"b":3}}`, options{}},
	{`{"x":{"a":[1,2},"b":"3"`, jsonmend.ErrReadings, `{"x":{"a":[1,2]},"b":"3"`, stopped},
	{`{"a":(1)}`, jsonmend.ErrReadings, `{"a":(1,)}`, options{}},
	{`["C:\Users\new"]`, jsonmend.ErrReadings, `["C:\Users\\new"]`, options{}},
	{`['\x1b[0m']`, jsonmend.ErrReadings, `['\\x1b[0m']`, options{}},
	{`a: {"b":1}`, jsonmend.ErrReadings, `Take this: {"b":1}`, options{}},
	{`Result: [1, {"a":1}]`, jsonmend.ErrReadings, `Result is: {"a":1}`, options{}},
	{`x = {"a":1}`, jsonmend.ErrReadings, `x is {"a":1}`, options{}},
	{`"a": {"b":1}}`, jsonmend.ErrRoots, `{"a": {"b":1}}}`, options{}},
	{"a: 1\nb: 2", jsonmend.ErrUnquoted, "{a: 1\nb: 2}", options{}},
	{`hello`, jsonmend.ErrUnquoted, `'hello'`, options{}},
	{`<think>so {"a":1}`, jsonmend.ErrCut, `<think>so</think> {"a":1}`, options{}},
	{`f({"a":1}`, jsonmend.ErrCut, `f({"a":1})`, options{}},
	{`{"a":1}, but`, jsonmend.ErrUnexpected, `{"a":1},`, options{}},
	{`{"a":1e+}`, jsonmend.ErrUnquoted, `{"a":+1e+1}`, options{}},
	{`[...]`, jsonmend.ErrEllipsis, `[.5]`, options{}},
	{`[-]`, jsonmend.ErrUnquoted, `[-.5]`, options{}},
	{"{\"a\":1}\nb: 2", jsonmend.ErrUnexpected, "{\"a\":1}\nb or 2", options{}},
	{strings.Repeat("[", 65) + strings.Repeat("]", 65), jsonmend.ErrTooDeep, strings.Repeat("[", 64) + strings.Repeat("]", 64), options{}},
	{`[1e1000000]`, jsonmend.ErrTooLong, `[1e300]`, options{}},
	{`[1E-301,]`, jsonmend.ErrTooLong, `[1E-300,]`, options{}},
	{"[" + strings.Repeat("1", 41) + "]", jsonmend.ErrTooLong, "[" + strings.Repeat("1", 40) + ",]", options{}},
	{strings.Repeat(" ", 100) + "1", jsonmend.ErrTooLarge, "1", options{MaxBytes: 100}},
}

// TestRefused: each refusal beside its twin, which differs in what matters and
// must succeed.
func TestRefused(t *testing.T) {
	for _, c := range refusedCases {
		t.Run(c.in[:min(len(c.in), 60)], func(t *testing.T) {
			r, err := jsonmend.Mend([]byte(c.in), c.o)
			var e *jsonmend.Error
			switch {
			case err == nil:
				t.Errorf("gave %s, want %v", r.Value, c.kind)
			case !errors.Is(err, c.kind):
				t.Errorf("%v, want %v", err, c.kind)
			case !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(c.in) || !strings.HasPrefix(c.in[e.Offset:], e.Text):
				t.Errorf("%+v doesn't say where", e)
			}
			if r, err := jsonmend.Mend([]byte(c.twin), c.o); err != nil || !json.Valid(r.Value) {
				t.Errorf("the twin %s: %s, %v", c.twin, r.Value, err)
			}
		})
	}
}

// TestRoots: what several values mean is for the caller, who gets them.
func TestRoots(t *testing.T) {
	for in, want := range map[string][]string{
		`{"a":1}{"b":2,}`:                {`{"a":1}`, `{"b":2}`},
		"{a:1}\n{\"b\":2},\n```{'c':3}":  {`{"a":1}`, `{"b":2}`, `{"c":3}`},
		`{"a":1}}{"b":2}`:                nil, // closers are a guess
		`{"a":1}{"b":2`:                  nil,
		"Take {\"a\":1} or {\"b\":2}":    nil,
		strings.Repeat(`{"a":1}`, 65):    nil,
		`{"a":1}` + "</x><x>" + `[true]`: {`{"a":1}`, `[true]`},
	} {
		_, err := jsonmend.Mend([]byte(in), stopped)
		var e *jsonmend.Error
		if !errors.As(err, &e) || e.Kind != jsonmend.ErrRoots {
			t.Errorf("%s: %v", in, err)
			continue
		}
		var got []string
		for _, r := range e.Roots {
			got = append(got, string(r))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", in, d)
		}
	}
}

// TestPlaces: a repair and a refusal say where in the input, a refusal what
// was read up to there.
func TestPlaces(t *testing.T) {
	r, err := jsonmend.Mend([]byte(`Now this: {a:1}`), options{})
	want := []jsonmend.Mended{
		{Repair: jsonmend.StripProseBefore, Dropped: "Now this: "},
		{Repair: jsonmend.QuoteKeys, Offset: 11},
	}
	if d := cmp.Diff(want, r.Repairs); err != nil || d != "" {
		t.Errorf("%v %s", err, d)
	}
	_, err = jsonmend.Mend([]byte(`{a:1, "b":[x]}`), options{})
	var e *jsonmend.Error
	if !errors.As(err, &e) || e.Offset != 11 || string(e.Read) != `{"a":1,"b":[` || e.Text != "x]}" {
		t.Errorf("%+v", e)
	}
	_, err = jsonmend.Mend([]byte(`[ 'x', 'a\ud83d']`), options{})
	if !errors.As(err, &e) || e.Kind != jsonmend.ErrSurrogate || e.Offset != 7 {
		t.Errorf("%+v", e)
	}
	_, err = jsonmend.Mend([]byte(`{ /* so */ 'k':1, 'k' : 2}`), options{})
	if !errors.As(err, &e) || e.Kind != jsonmend.ErrDuplicate || e.Offset != 18 {
		t.Errorf("%+v", e)
	}
}

type report struct {
	ID     string
	Input  struct{ Arguments, Text string }
	Expect struct {
		Outcome   string
		Arguments json.RawMessage
		Calls     []struct{ Arguments json.RawMessage }
		Repairs   []string
	}
}

// Refused is what the mender says where the outcome is for args to find: it
// makes {} of nothing and several calls of several values.
func (r report) Refused() error {
	return map[string]error{
		"F001": jsonmend.ErrCutNumber, "F010": jsonmend.ErrEmpty, "F071": jsonmend.ErrRoots,
	}[r.ID]
}

// TestFieldLog runs the reports about arguments that the mender alone decides.
func TestFieldLog(t *testing.T) {
	mine := map[string]options{
		"F001": {}, "F002": {}, "F004": {}, "F007": {Object: true}, "F010": {}, "F011": {}, "F013": {}, "F071": {},
	}
	for line := range cases.Lines(t, "fieldlog/cases.jsonl") {
		var c report
		if err := json.Unmarshal(line, &c); err != nil {
			continue // another kind's form
		}
		o, ok := mine[c.ID]
		if !ok {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			r, err := jsonmend.Mend([]byte(c.Input.Arguments+c.Input.Text), o)
			want := c.Expect.Arguments
			got := r.Value
			if len(c.Expect.Calls) > 0 {
				want = c.Expect.Calls[0].Arguments
				var call map[string]json.RawMessage
				if err := json.Unmarshal(got, &call); err != nil {
					t.Fatal(err)
				}
				got = slices.Concat(call["arguments"], call["parameters"])
			}
			if kind := c.Refused(); kind != nil {
				var e *jsonmend.Error
				if !errors.As(err, &e) || e.Kind != kind || kind == jsonmend.ErrRoots && len(e.Roots) != 3 {
					t.Errorf("%v, want %v", err, kind)
				}
				return
			}
			if err != nil || !cmp.Equal(decode(t, got), decode(t, want)) {
				t.Errorf("%s %v, want %s", got, err, want)
			}
			for _, m := range r.Repairs {
				if !slices.Contains(c.Expect.Repairs, string(m.Repair)) {
					t.Errorf("repair %s, want %v", m.Repair, c.Expect.Repairs)
				}
			}
		})
	}
}
