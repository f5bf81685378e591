package words

import "bytes"

// readMarkup is a text that was read through, without markup. What was parted
// by it is an escape only now, so that is read through again.
func readMarkup(text []byte) []byte {
	if bare := withoutMarkup(text); len(bare) != len(text) {
		return readThrough(bare)
	}
	return text
}

// withoutMarkup takes out HTML tags that only say how a text looks, and colour
// codes that have lost their escape character. A tag that lays out lines or
// cells leaves a line end or a tab.
func withoutMarkup(text []byte) []byte {
	if bytes.IndexByte(text, '<') < 0 && !bytes.Contains(text, []byte("m")) {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		i := bytes.IndexAny(text, "<[")
		if i < 0 {
			break
		}
		out = append(out, text[:i]...)
		text = text[i:]
		n, instead := 0, ""
		if text[0] == '<' {
			n, instead = layoutTag(text)
		} else if n = colour(text); n > 0 {
			out = bytes.TrimSuffix(bytes.TrimSuffix(bytes.TrimSuffix(out, []byte(`\033`)), []byte(`\e`)), []byte("^["))
		}
		if n == 0 {
			out = append(out, text[0])
			n = 1
		}
		out = append(out, instead...)
		text = text[n:]
	}
	return append(out, text...)
}

// colour tells how many bytes [1;31m takes.
func colour(b []byte) int {
	i := 1
	for i < len(b) && i < 20 && (b[i] >= '0' && b[i] <= '9' || b[i] == ';') {
		i++
	}
	if i < len(b) && b[i] == 'm' {
		return i + 1
	}
	return 0
}

// layoutTags are the elements that only lay text out, with what each leaves.
var layoutTags = map[string]string{
	"a": "", "abbr": "", "b": "", "bdi": "", "bdo": "", "big": "", "cite": "", "code": "", "del": "", "em": "",
	"font": "", "i": "", "ins": "", "kbd": "", "label": "", "mark": "", "nobr": "", "q": "", "s": "", "samp": "",
	"small": "", "span": "", "strike": "", "strong": "", "sub": "", "sup": "", "tt": "", "u": "", "var": "", "wbr": "",
	"br": "\n", "div": "\n", "li": "\n", "ol": "\n", "p": "\n", "pre": "\n", "table": "\n", "tbody": "\n",
	"thead": "\n", "tr": "\n", "ul": "\n", "td": "\t", "th": "\t",
}

// layoutTag tells how many bytes a tag of layoutTags takes at the start of b.
func layoutTag(b []byte) (n int, instead string) {
	i := 1
	if i < len(b) && b[i] == '/' {
		i++
	}
	var name [8]byte
	k := 0
	for ; i < len(b) && alnum(b[i]); i++ {
		if k == len(name) {
			return 0, ""
		}
		name[k] = b[i] | 0x20
		k++
	}
	instead, ok := layoutTags[string(name[:k])]
	if !ok || i == len(b) {
		return 0, ""
	}
	if c := b[i]; c != '>' && c != '/' && c != ' ' && c != '\t' && c != '\n' {
		return 0, ""
	}
	for ; i < len(b) && i < 2000; i++ {
		switch b[i] {
		case '>':
			return i + 1, instead
		case '<':
			return 0, ""
		}
	}
	return 0, ""
}
