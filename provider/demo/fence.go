package demo

import "strings"

// result is what a tool answered, as the prompt shows it.
type result struct {
	tool, text string
}

// The lines around a result: "[result MARK: from TOOL; …]" and "[end of result MARK]".
const (
	fenceOpen = "[result "
	fenceEnd  = "[end of result "
)

// maxOpen bounds the fences without an end that are looked for in vain.
const maxOpen = 64

// splitFences takes the fenced results out of a message. A fence that isn't
// closed is no result.
func splitFences(s string) (results []result, rest string) {
	var out strings.Builder
	for open := 0; ; {
		i := lineWith(s, fenceOpen)
		if i < 0 || open == maxOpen {
			break
		}
		line, body, ok := strings.Cut(s[i:], "\n")
		mark, about, named := strings.Cut(strings.TrimPrefix(line, fenceOpen), ":")
		end := -1
		if ok && named {
			end = lineWith(body, fenceEnd+mark+"]")
		}
		if end < 0 {
			open++
			out.WriteString(s[:i+len(fenceOpen)])
			s = s[i+len(fenceOpen):]
			continue
		}
		_, about, _ = strings.Cut(about, "from ")
		if n := strings.IndexAny(about, ";]"); n >= 0 {
			about = about[:n]
		}
		results = append(results, result{strings.TrimSpace(about), strings.TrimSuffix(body[:end], "\n")})
		out.WriteString(s[:i])
		_, s, _ = strings.Cut(body[end:], "\n")
	}
	out.WriteString(s)
	return results, out.String()
}

// lineWith finds the first line that begins with prefix.
func lineWith(s, prefix string) int {
	for at := 0; ; {
		i := strings.Index(s[at:], prefix)
		if i < 0 {
			return -1
		}
		if i += at; i == 0 || s[i-1] == '\n' {
			return i
		}
		at = i + 1
	}
}
