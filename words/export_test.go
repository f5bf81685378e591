package words

import "strings"

// Drifts is what a plan's Reader reads beside the plan's syntax.
func Drifts() []Form { return drifts() }

// Work is how many bytes the Reader looked at.
func (r *Reader) Work() int { return r.work }

// Untagged is a text without the tags of thinking at its head.
func Untagged(text string) (bare string, thinks bool) {
	for _, t := range thinkTags {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \n\r\t"), t.opener); ok {
			return strings.Replace(rest, t.closer, "", 1), true
		}
	}
	return text, false
}
