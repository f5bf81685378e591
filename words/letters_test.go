package words

import (
	"encoding/json"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLetters(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"letters and digits only", `<tool_call>{"n": 12}`, "toolcalln12"},
		{"case", "ÀB ǅ", "àbǆ"},
		{"full-width forms", "＜ｂａｓｈ＞１２", "bash12"},
		{"full-width escapes", "ａ＼ｎｂ＆ｌｔ；ｃ", "abc"},
		{"unseen characters", "cu\u200brl\u00ad \ufeffx\u2060y\u3164z", "curlxyz"},
		{"tag characters are read", "x\U000e0063\U000e0075y", "xyxcuy"},
		{"colours", "\x1b[1;31mcurl\x1b[0m \x1b(Bx\x1b[K", "curlx"},
		{"colours as escapes", `\u001b[32mcurl\x1b[0m&#27;[1mx%1b[m`, "curlx"},
		{"a line end leaves no n", `a\nb\tc\rd\be\ff`, "abcdef"},
		{"layers of backslashes", `a\\nb\\\nc\\\\nd\\\\\"e`, "abcde"},
		{"a Windows path", `C:\Users\new`, "cusersew"},
		{"the same in JSON", `C:\\Users\\new`, "cusersew"},
		{"hex escapes", `\u0063\x75\U00000072\u{6c}`, "curl"},
		{"a surrogate pair", `\ud835\udc9cx`, "𝒜x"},
		{"half a pair", `\ud835x\udc9cy`, "xy"},
		{"no hex escape", `\users \xy \u00g`, "usersxyu00g"},
		{"entities", `&lt;a&gt;&amp;&quot;&#60;b&#x3c;c&nbsp;d&eacute;`, "abcdé"},
		{"layers of entities", `&amp;lt;a&amp;amp;gt;b&#38;#99;`, "abc"},
		{"no entities", `a&b;&nosuch;&;&#;&notit;`, "abnosuchnotit"},
		{"percent", `%3Ctool%5fcall%3e%C3%A9%253Cx`, "toolcalléx"},
		{"no percent", `100%x5 %4`, "100x54"},
		{"an escape inside an escape", `\u00&#54;1 %&#54;1 &#x%36%32; \%6e \&#110; &l&#116;`, "aablt"},
		{"mixed layers", `%5Cu0026lt%3Ba\\u003cb`, "ab"},
		{"bytes that are no UTF-8", "a\xe9b", "aéb"},
		{"other scripts", "текст 北京 ٣", "текст北京٣"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(letters(c.in, false)); got != c.want {
				t.Errorf("letters(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	if got := string(letters(`[f(a={"b"})]<`, true)); got != "[f(a{b})]" {
		t.Errorf("with brackets: %q", got)
	}
}

// layerWriters are ways of writing that letters don't depend on.
var layerWriters = map[string]func(string) string{
	"JSON": func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	},
	"JSON, ASCII only": func(s string) string {
		b, _ := json.Marshal(s)
		var out strings.Builder
		for _, r := range string(b) {
			switch {
			case r < utf8.RuneSelf:
				out.WriteRune(r)
			case r < 0x10000:
				out.WriteString(`\u` + hex4(r))
			default:
				r -= 0x10000
				out.WriteString(`\u` + hex4(0xd800+r>>10) + `\u` + hex4(0xdc00+r&0x3ff))
			}
		}
		return out.String()
	},
	"HTML":    html.EscapeString,
	"percent": url.PathEscape,
	"query":   url.QueryEscape,
	"colour":  func(s string) string { return "\x1b[1m" + s + "\x1b[0m" },
}

func hex4(r rune) string {
	const digits = "0123456789abcdef"
	return string([]byte{digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15]})
}

// FuzzLetters holds letters to its law: writing a text as JSON, as HTML or
// percent-encoded, once or twice in any order, doesn't change its
// letters; and letters are their own letters.
func FuzzLetters(f *testing.F) {
	for _, s := range []string{
		"", "plain", `<tool_call>{"name":"a"}`, `C:\new\x41`, `a\\nb`, `&amp;lt;`, `\&#110;`, `%25%34%31`, "\\\u200bn", "＼ｔ",
		"＆ｌｔ；", "\x1b[31mx", "\\\x1b[0mn", `\ud835\udc9c`, "𝒜é\U000e0041", `%C3`, "%e2\u200b%80%8b", `\\u0041`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.ContainsRune(s, innerSlash) {
			letters(s, true)
			return
		}
		plain := string(readThrough([]byte(s)))
		if strings.ContainsAny(s+plain, "＼﹨") {
			// Known limit: a backslash of another form is one only when all that is
			// written around it has been read, and may escape a letter then.
			letters(s, true)
			return
		}
		if strings.ContainsAny(s+plain, `\`) && invisible(s)+invisible(plain) > 1 {
			// Known limit: once what stands between two backslashes of different
			// layers is dropped, they are told apart no more. It costs a letter.
			letters(s, true)
			return
		}
		want := string(letters(s, false))
		for a, outer := range layerWriters {
			if a == "colour" && strings.ContainsRune(string(readThrough([]byte(s))), 0x1b) {
				continue // its own colour codes may be unfinished
			}
			one := outer(s)
			if got := string(letters(one, false)); got != want {
				t.Fatalf("%s of %q is %q: letters %q, want %q", a, s, one, got, want)
			}
			for b, again := range layerWriters {
				if b == "colour" {
					continue
				}
				two := again(one)
				if got := string(letters(two, false)); got != want {
					t.Fatalf("%s of %s of %q is %q: letters %q, want %q", b, a, s, two, got, want)
				}
			}
		}
		if again := string(letters(want, false)); again != want {
			t.Fatalf("letters of %q are %q, whose letters are %q", s, want, again)
		}
	})
}

// invisible counts what letters drops without a trace.
func invisible(s string) int {
	n := 0
	for _, r := range s {
		if r == 0x1b || unicode.Is(unicode.Cf, r) {
			n++
		}
	}
	return n
}

// Hostile nesting must cost no more than its length.
func TestLettersAreLinear(t *testing.T) {
	for _, unit := range []string{`\`, `&#59`, `%25`, "\x1b[", `\u00`, `&amp;`, `\\u005c`, "%5c%75", "&am&#112;"} {
		s := strings.Repeat(unit, 1<<20/len(unit)) + "n;41"
		if got := len(readThrough([]byte(s))); got > len(s) {
			t.Errorf("%d bytes of %q became %d", len(s), unit, got)
		}
	}
}

// FuzzLaidOut holds the matching to a plain search for the same pieces.
func FuzzLaidOut(f *testing.F) {
	f.Add("abcdefghijklmnopqrstuvwxyz", "abcdefghijkl--mnopqrstuvwxyz")
	f.Add("abcdefghijklXXmnopqrstuvwxyz", "abcdefghijkl mnopqrstuvwxyz")
	f.Add("北京北京北京北京北京北京上海", "北京北京北京北京北京北京")
	f.Fuzz(func(t *testing.T, block, text string) {
		if len(block) > 200 || len(text) > 400 {
			return
		}
		b, s := letters(block, false), letters(text, false)
		if got, want := laidOut(b, s, maxPieces, false), laidOutPlainly(b, s); got != want {
			t.Fatalf("laidOut(%q, %q) = %v, want %v", b, s, got, want)
		}
	})
}

func TestLaidOutAgreesWithPlainSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := [2]int{}
	for range 4_000 {
		alphabet := []rune("abcé北")[:2+rng.IntN(4)]
		random := func(n int) (out []rune) {
			for range n {
				out = append(out, alphabet[rng.IntN(len(alphabet))])
			}
			return out
		}
		text := random(60 + rng.IntN(60))
		var block []rune
		for range 1 + rng.IntN(10) {
			n := 10 + rng.IntN(8)
			at := rng.IntN(len(text) - n)
			block = append(append(block, text[at:at+n]...), random(rng.IntN(4))...)
		}
		if rng.IntN(2) == 0 {
			block = block[:len(block)-rng.IntN(3)]
		}
		b, s := []byte(string(block)), []byte(string(text))
		got, want := laidOut(b, s, maxPieces, false), laidOutPlainly(b, s)
		if got != want {
			t.Fatalf("laidOut(%q, %q) = %v, want %v", b, s, got, want)
		}
		if want {
			seen[1]++
		} else {
			seen[0]++
		}
	}
	if seen[0] < 200 || seen[1] < 200 {
		t.Errorf("one-sided draw: %v", seen)
	}
}

// laidOutPlainly is the rule as it is written, tried piece by piece.
func laidOutPlainly(block, text []byte) bool {
	b, s := []rune(string(block)), string(text)
	reached := map[int]bool{0: true}
	for k := range maxPieces {
		next := map[int]bool{}
		for r := range reached {
			for gap := 0; gap <= maxGap && (k > 0 || gap == 0); gap++ {
				for e := r + gap + minPiece; e <= len(b) && strings.Contains(s, string(b[r+gap:e])); e++ {
					next[e] = true
				}
			}
		}
		if next[len(b)] {
			return true
		}
		reached = next
	}
	return false
}
