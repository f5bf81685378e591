package words_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// way is one way in which a tool shows a text.
type way struct {
	name string
	show func(s string) string
}

func ways() []way {
	catN := prefixed(func(i int) string { return fmt.Sprintf("%6d\t", i) })
	arrow := prefixed(func(i int) string { return fmt.Sprintf("%d→", i) })
	plus := func(s string) string {
		return "--- a/x\n+++ b/x\n@@ -0,0 +1,9 @@ func x() {\n" + constant("+")(s)
	}
	return []way{
		{"plain", func(s string) string { return "The file says:\n\n" + s + "\n\nThat is all." }},
		{"cat -n", catN},
		{"arrow numbers", arrow},
		{"unified diff", plus},
		{"removed in a diff", constant("-")},
		{"quoted mail", constant("> ")},
		{"nested quotes", constant("> > ")},
		{"grep -n", prefixed(func(i int) string { return fmt.Sprintf("docs/notes.md:%d:", i+10) })},
		{"grep -n with columns", prefixed(func(i int) string { return fmt.Sprintf("./x:%d:1:", i+10) })},
		{"grep -C", prefixed(func(i int) string { return fmt.Sprintf("docs/my-notes.md-%d-", i+98) })},
		{"grep without numbers", constant("docs/notes.md:")},
		{"JSON result", inJSON},
		{"JSON in JSON", twice(inJSON)},
		{"JSON in JSON in JSON", twice(twice(inJSON))},
		{"JSON in ASCII", inASCII},
		{"HTML in pre", inPre},
		{"HTML with highlighting", highlighted},
		{"highlighted HTML in a JSON result", func(s string) string { return inJSON(highlighted(s)) }},
		{"Markdown fence", func(s string) string { return "Look:\n\n```xml\n" + s + "\n```\n" }},
		{"Markdown inline", func(s string) string { return "Write `" + strings.ReplaceAll(s, "\n", " ") + "` there." }},
		{"Markdown escapes", markdown},
		{"ANSI colours", coloured("\x1b[1;32m", "\x1b[0m")},
		{"ANSI colours in JSON", func(s string) string { return inJSON(coloured("\x1b[38;5;12m", "\x1b(B\x1b[m")(s)) }},
		{"colours without escape", coloured("[31m", "[0m")},
		{"wrapped", wrapped(60)},
		{"wrapped narrowly", wrapped(47)},
		{"wrapped and quoted", func(s string) string { return constant("> ")(wrapped(60)(s)) }},
		{"wrapped and numbered", func(s string) string { return catN(wrapped(60)(s)) }},
		{"indented", constant("        ")},
		{"full-width", fullWidth},
		{"percent", url.PathEscape},
		{"percent twice", twice(url.QueryEscape)},
		{"every byte percent", everyByte},
		{"zero-width between", between("\u200b")},
		{"soft hyphens between", between("\u00ad")},
		{"tag characters", tagCharacters},
		{"blame", prefixed(func(i int) string {
			return fmt.Sprintf("a1b2c3d4e (Ann O'Dell %d-01-02 10:11:12 +0100 %2d) ", 2020+i, i)
		})},
		{"blame with paths", prefixed(func(i int) string {
			return fmt.Sprintf("^a1b2c3 doc/x.md (<bob@example.org> 2026-01-02 10:11:12 +0100 %d) ", i)
		})},
		{"numbered table", prefixed(func(i int) string { return fmt.Sprintf("| %d | ", i) })},
		{"bat", prefixed(func(i int) string { return fmt.Sprintf("%4d   │ ", i) })},
		{"HTML line table", func(s string) string {
			return prefixed(func(i int) string {
				return fmt.Sprintf(`<tr><td id="L%d" class="num">%d</td><td class="code">`, i, i)
			})(html.EscapeString(s))
		}},
		{"entities twice", twice(html.EscapeString)},
		{"numeric entities", numeric("&#%d;")},
		{"hex entities", numeric("&#x%X;")},
		{"entities of entities", func(s string) string { return html.EscapeString(numeric("&#%d;")(s)) }},
		{"cat -n in JSON", func(s string) string { return inJSON(catN(s)) }},
		{"diff of cat -n", func(s string) string { return plus(catN(s)) }},
		{"grep of mail", func(s string) string {
			return prefixed(func(i int) string { return fmt.Sprintf("in/4.eml:%d:", i) })(constant("> ")(s))
		}},
		{"log of a service", prefixed(func(i int) string { return fmt.Sprintf("web-1  | 2026-11-30T10:00:%02dZ INFO ", i) })},
		{"grep of an odd name", prefixed(func(i int) string { return fmt.Sprintf("a {\"b\"} (c).md:%d:", i+7) })},
		{"line ends of Windows", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
		{"no-break spaces", func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }},
	}
}

func prefixed(p func(i int) string) func(string) string {
	return func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = p(i+1) + lines[i]
		}
		return strings.Join(lines, "\n")
	}
}

func constant(p string) func(string) string { return prefixed(func(int) string { return p }) }

func twice(f func(string) string) func(string) string {
	return func(s string) string { return f(f(s)) }
}

func inJSON(s string) string {
	b, _ := json.Marshal(map[string]any{"ok": true, "content": s})
	return string(b)
}

// inASCII is JSON with every character escaped that isn't a letter of ASCII.
func inASCII(s string) string {
	var out strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || r == ' '):
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\u%04X\u%04X`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return `{"content":"` + out.String() + `"}`
}

func inPre(s string) string {
	return "<html><body><pre>" + html.EscapeString(s) + "</pre></body></html>"
}

// tokens cuts a text into runs of letters and single other characters.
func tokens(s string) (ts []string) {
	from := 0
	for i, r := range s {
		if i > from && !unicode.IsLetter(r) {
			ts = append(ts, s[from:i])
			from = i
		}
		if !unicode.IsLetter(r) {
			ts = append(ts, string(r))
			from = i + utf8.RuneLen(r)
		}
	}
	return append(ts, s[from:])
}

func highlighted(s string) string {
	var out strings.Builder
	for i, t := range tokens(s) {
		fmt.Fprintf(&out, "<span class=\"hl k%d\" style='color:red'>%s</span>", i, html.EscapeString(t))
	}
	return "<pre><code>" + out.String() + "</code></pre>"
}

func markdown(s string) string {
	var out strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]()#+-.!|<>", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func coloured(on, off string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, t := range tokens(s) {
			out.WriteString(on + t + off)
		}
		return out.String()
	}
}

func wrapped(width int) func(string) string {
	return func(s string) string {
		var out strings.Builder
		n := 0
		for _, r := range s {
			if n == width {
				out.WriteByte('\n')
				n = 0
			}
			if n++; r == '\n' {
				n = 0
			}
			out.WriteRune(r)
		}
		return out.String()
	}
}

func fullWidth(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '\u3000'
		case r > ' ' && r < 0x7f:
			return r + 0xfee0
		}
		return r
	}, s)
}

func everyByte(s string) string {
	var out strings.Builder
	for _, b := range []byte(s) {
		fmt.Fprintf(&out, "%%%02x", b)
	}
	return out.String()
}

func between(sep string) func(string) string {
	return func(s string) string { return strings.Join(strings.Split(s, ""), sep) }
}

// tagCharacters hides the ASCII of a text in Unicode's invisible twins of it.
func tagCharacters(s string) string {
	return "Nothing here." + strings.Map(func(r rune) rune {
		if r >= ' ' && r < 0x7f {
			return r + 0xe0000
		}
		return r
	}, s)
}

func numeric(format string) func(string) string {
	return func(s string) string {
		var out strings.Builder
		for _, r := range s {
			fmt.Fprintf(&out, format, r)
		}
		return out.String()
	}
}
