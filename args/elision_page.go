package args

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// page is a text with what an ellipsis on a line of its own may mean there: a
// stub's body, a document's end, a delay, an example.
type page struct {
	lines     []string
	before    []int  // the last line with something on it before each; -1: none
	after     []int  // the next one; -1: none
	fenced    []bool // inside a Markdown fence
	quoted    []bool // inside a doc string, a block comment, a listing, with more than this
	skipped   []bool // inside one of them, also alone
	yaml      []bool // what stands above could be YAML
	session   []bool // goes on with an interpreter's prompt
	sequences bool   // PlantUML: an ellipsis is a delay
}

func newPage(lines []string) *page {
	n := len(lines)
	p := &page{
		lines: lines, before: make([]int, n), after: make([]int, n),
		fenced: make([]bool, n), quoted: make([]bool, n), skipped: make([]bool, n), yaml: make([]bool, n), session: make([]bool, n),
	}
	last := -1
	yaml, session := true, false
	for i, l := range lines {
		t := trim(l)
		p.before[i], p.yaml[i], p.session[i] = last, yaml && last >= 0, session
		if t == "" {
			session = false
			continue
		}
		last = i
		yaml = yaml && (!flush(l) || yamlLine(t))
		session = strings.HasPrefix(t, ">>>") || session && strings.HasPrefix(t, "...")
		p.sequences = p.sequences || strings.HasPrefix(t, "@startuml")
	}
	last = -1
	for i := n - 1; i >= 0; i-- {
		p.after[i] = last
		if trim(lines[i]) != "" {
			last = i
		}
	}
	p.fence()
	p.manual()
	for _, q := range quotes {
		p.quote(q.opener, q.closer)
	}
	return p
}

// flush reports whether a line begins at its first column.
func flush(l string) bool { return l != "" && l[0] != ' ' && l[0] != '\t' }

// yamlLine reports whether a line at the first column could stand in YAML.
func yamlLine(t string) bool {
	if t == "---" || t == "..." || t == "-" || strings.IndexByte("#%]}", t[0]) >= 0 || strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "--- ") {
		return true
	}
	key, _, ok := strings.Cut(t+" ", ": ")
	return ok && !strings.ContainsAny(key, "(){}=;,")
}

// fence finds what stands in Markdown's fences. A pair around the whole fences
// nothing, nor does one that isn't closed.
func (p *page) fence() {
	var fences []int
	for i, l := range p.lines {
		if t := trim(l); strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			fences = append(fences, i)
		}
	}
	if k := len(fences); k >= 2 && p.before[fences[0]] < 0 && p.after[fences[k-1]] < 0 {
		fences = fences[1 : k-1]
	}
	for k := 0; k+1 < len(fences); k += 2 {
		for i := fences[k] + 1; i < fences[k+1]; i++ {
			p.fenced[i] = true
		}
	}
}

// manual finds Perl's manual pages among its code.
func (p *page) manual() {
	inside := false
	for i, l := range p.lines {
		if len(l) > 1 && l[0] == '=' && l[1] >= 'a' && l[1] <= 'z' {
			inside = !strings.HasPrefix(l, "=cut")
		}
		p.quoted[i] = inside
	}
}

// quotes enclose listings and examples. A block comment begins its line.
var quotes = []struct{ opener, closer string }{{`"""`, `"""`}, {"'''", "'''"}, {"/*", "*/"}, {"<pre", "</pre>"}}

// quote marks what stands between one kind of quotes.
func (p *page) quote(opener, closer string) {
	open := -1
	for i, l := range p.lines {
		for {
			if open < 0 {
				at := strings.Index(l, opener)
				if at < 0 || opener == "/*" && trim(l[:at]) != "" {
					break
				}
				l, open = l[at+len(opener):], i
			}
			at := strings.Index(l, closer)
			if at < 0 {
				break
			}
			l = l[at+len(closer):]
			p.enclose(open, i)
			open = -1
		}
	}
}

// enclose marks the lines between two. What stands there alone isn't quoted: it
// may be all that is left of something longer.
func (p *page) enclose(from, to int) {
	first := p.after[from]
	alone := (first < 0 || p.after[first] == to || first >= to) && !strings.ContainsFunc(p.lines[from], unicode.IsLetter)
	for i := from + 1; i < to; i++ {
		p.quoted[i], p.skipped[i] = p.quoted[i] || !alone, true
	}
}

// excuses reports whether a line that looks like an elision belongs where it stands.
func (p *page) excuses(i int, kind elision) bool {
	switch {
	case p.fenced[i], p.listed(i): // an example
		return true
	case kind == withWords:
		return false
	case p.quoted[i]:
		return true
	case kind == commentDot:
		return p.amidComment(i)
	}
	return p.session[i] || p.sequences || p.stub(i) || p.literal(i) || p.documentEnd(i) || p.variadic(i) || p.pause(i)
}

func (p *page) line(i int) string {
	if i < 0 {
		return ""
	}
	return trim(p.lines[i])
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }

// headers begin the lines above a body.
var headers = set("def async class if elif else for while with try except finally match case")

// farthest is how many lines above an ellipsis are looked at.
const farthest = 200

// stub reports whether the dots are a body of their own: Python's, below a line
// that ends with a colon, or Perl's between braces.
func (p *page) stub(i int) bool {
	if p.line(i) != "..." {
		return false
	}
	at := p.before[i]
	for n := 0; n < farthest && at >= 0 && (p.skipped[at] || aside(p.line(at))); n++ {
		at = p.before[at]
	}
	if at < 0 || indent(p.lines[at]) >= indent(p.lines[i]) {
		return false
	}
	header := p.line(at)
	if code, _, ok := strings.Cut(header, " #"); ok {
		header = trim(code)
	}
	if header == "" {
		return false
	}
	word := strings.FieldsFunc(header, func(r rune) bool { return !unicode.IsLetter(r) })
	known := header[0] == ')' || len(word) > 0 && headers[word[0]]
	next := p.after[i]
	switch {
	case strings.HasSuffix(header, ":"):
		return known && (next < 0 || indent(p.lines[next]) < indent(p.lines[i]))
	case strings.HasSuffix(header, "{"):
		return p.line(next) == "}" && strings.HasPrefix(header, "sub ")
	}
	return false
}

// aside reports whether a line in a Python body does nothing: a comment, the
// ends of a doc string.
func aside(t string) bool {
	return strings.HasPrefix(t, "#") || strings.HasPrefix(t, `"""`) || strings.HasPrefix(t, "'''") || strings.HasSuffix(t, `"""`)
}

// literal reports whether the dots stand in a literal block, as reStructuredText
// has them: further in than a line that ends with two colons.
func (p *page) literal(i int) bool {
	at := p.before[i]
	for n := 0; n < farthest && at >= 0 && indent(p.lines[at]) >= indent(p.lines[i]); n++ {
		at = p.before[at]
	}
	return at >= 0 && indent(p.lines[at]) < indent(p.lines[i]) && strings.HasSuffix(p.line(at), "::")
}

// documentEnd reports whether the dots end a YAML document.
func (p *page) documentEnd(i int) bool {
	if p.line(i) != "..." || !flush(p.lines[i]) || !p.yaml[i] {
		return false
	}
	next := p.after[i]
	if next < 0 || strings.HasPrefix(p.line(next), "---") || strings.HasPrefix(p.line(next), "%") {
		return true
	}
	return next > i+1 && strings.HasPrefix(p.line(p.first()), "---") // a page's front matter
}

// first is the first line with something on it.
func (p *page) first() int {
	if len(p.lines) > 0 && trim(p.lines[0]) != "" {
		return 0
	}
	return p.after[0]
}

// variadic reports whether the dots are a parameter or an index: the last of a
// list in parentheses, or behind a name's bracket.
func (p *page) variadic(i int) bool {
	if t := strings.TrimRight(p.line(i), ",;"); t != "..." {
		return false
	}
	comma := strings.HasSuffix(p.line(i), ",")
	above, below := p.line(p.before[i]), p.line(p.after[i])
	switch {
	case above == "" || below == "":
		return false
	case strings.HasSuffix(above, "[") && len(above) > 1:
		c, _ := utf8.DecodeLastRuneInString(above[:len(above)-1])
		return comma && (unicode.IsLetter(c) || c == '_')
	case !strings.HasSuffix(above, ","):
		return false
	}
	return below[0] == ')' || strings.HasPrefix(below, "}:") || comma && below[0] == ']'
}

// pause reports whether the dots are a paragraph between sentences.
func (p *page) pause(i int) bool {
	above, below := p.before[i], p.after[i]
	return above >= 0 && above < i-1 && below > i+1 && sentence(p.line(above)) && sentence(p.line(below))
}

// sentence reports whether a line is prose and ends like it.
func sentence(t string) bool {
	first, _ := utf8.DecodeRuneInString(t)
	last, _ := utf8.DecodeLastRuneInString(t)
	return (unicode.IsLetter(first) || strings.ContainsRune(`"'“‘«„—*_`, first)) &&
		strings.ContainsRune(`.!?…:"”’»—*_。！？`, last) && !strings.ContainsAny(t, "{}<>=;()[]|`")
}

// amidComment reports whether the dots stand between two lines of one comment
// that say something: a list that goes on.
func (p *page) amidComment(i int) bool {
	own, _ := p.opener(i)
	above, ok := p.opener(i - 1)
	below, also := p.opener(i + 1)
	return ok && also && above == own && below == own
}

// listed reports whether a comment's line is part of a listing in it: it stands
// further in than words do, and the comment goes on beside it.
func (p *page) listed(i int) bool {
	own, _ := p.opener(i)
	inner := strings.TrimPrefix(trim(p.lines[i]), own)
	if own == "" || !strings.HasPrefix(inner, "\t") && !strings.HasPrefix(inner, "  ") {
		return false
	}
	above, ok := p.opener(i - 1)
	below, also := p.opener(i + 1)
	return ok && above == own || also && below == own
}

// opener returns what begins a comment on a line of its own, and whether it says anything.
func (p *page) opener(i int) (opener string, says bool) {
	if i < 0 || i >= len(p.lines) {
		return "", false
	}
	t := trim(p.lines[i])
	inner, ok := uncommented(t)
	if !ok || inner == "" {
		return "", false
	}
	n := 1
	for n < len(t) && strings.IndexByte("/#;%*-!", t[n]) >= 0 {
		n++
	}
	return t[:n], kindOf(t) == noElision
}
