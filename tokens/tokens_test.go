package tokens_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/tokens"
)

// within is by how much an estimate may differ from what the family's tokenizer
// makes of a sample, in hundredths.
var within = map[string]int{
	"tools": 5, "go": 15, "python": 10, "english": 10, "chinese": 10, "japanese": 20, "korean": 20,
	"german": 35, // its long words are made of more pieces than English ones
}

// TestSamples compares with real tokenizers; testdata/README.md tells with which.
func TestSamples(t *testing.T) {
	f, err := os.Open("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var s struct {
			Kind, Text string
			Tokens     map[string]int
		}
		if err := json.Unmarshal(sc.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		mean := 0
		for name, want := range s.Tokens {
			e, ok := tokens.Named(name)
			if !ok {
				t.Errorf("there is no estimator %s", name)
			}
			compare(t, s.Kind, name, e.Count(s.Text), want)
			mean += want
			seen++
		}
		compare(t, s.Kind, "the zero value", tokens.Estimator{}.Count(s.Text), mean/len(s.Tokens))
	}
	if families := len(tokens.Names()) - 1; sc.Err() != nil || seen != families*len(within) {
		t.Errorf("%d figures for %d families and %d samples: %v", seen, families, len(within), sc.Err())
	}
}

func compare(t *testing.T, kind, name string, got, want int) {
	t.Helper()
	if diff := got - want; max(diff, -diff)*100 > want*within[kind] {
		t.Errorf("%s, %s: estimated %d, counted %d", kind, name, got, want)
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		text        string
		least, most int
	}{
		{"", 0, 0},
		{"a", 1, 1},
		{" ", 0, 0},
		{"Hello, world.", 3, 5},
		{"getWeatherByCity", 3, 5},
		{"1234567890", 4, 12},
		{strings.Repeat("=", 4000), 500, 2000},
		{strings.Repeat(" ", 16000), 500, 2500},
		{strings.Repeat("a", 4000), 900, 3000},
		{strings.Repeat("\xff", 100), 50, 300},
	} {
		for _, name := range tokens.Names() {
			e, _ := tokens.Named(name)
			if n := e.Count(c.text); n < c.least || n > c.most {
				t.Errorf("%s: %.20q is %d tokens, want %d to %d", name, c.text, n, c.least, c.most)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range append(tokens.Names(), "") {
		if _, ok := tokens.Named(name); !ok {
			t.Errorf("%q isn't known", name)
		}
	}
	if _, ok := tokens.Named("GPT"); ok {
		t.Error("GPT is known")
	}
	zero, _ := tokens.Named("")
	if general, _ := tokens.Named(tokens.Names()[0]); zero.Count("Hello, world.") != general.Count("Hello, world.") {
		t.Error("the zero value isn't the first row")
	}
}

// FuzzCount: an estimate is never below zero, never more than three tokens a
// byte, the same each time, and more text is never less.
func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "a b", "getURL_2({\"x\": 1.5})", "北京かなカナ한글", "\xff\xc3", "é́×…"} {
		f.Add(s, "x")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, name := range tokens.Names() {
			e, _ := tokens.Named(name)
			n := e.Count(a)
			if n < 0 || n > 3*len(a) || n != e.Count(a) {
				t.Errorf("%s: %q is %d tokens", name, a, n)
			}
			if both := e.Count(a + " \n " + b); both+1 < n {
				t.Errorf("%s: %d tokens, but %d with more behind", name, n, both)
			}
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(`{"name":"read_file","description":"Reads a file and returns its lines."} `, 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		tokens.Estimator{}.Count(text)
	}
}
