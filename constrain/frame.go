package constrain

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// mark stands for a call's arguments where a call is written to see what stands
// around them. No syntax writes anything like it of its own accord.
const mark = `{"ferrule.arguments":"here"}`

// frame is what stands around the arguments of a call to one tool.
type frame struct {
	tool       chat.Tool
	text       string // the whole call, the mark in it
	begin, end string // around the mark; both "" where the syntax doesn't write arguments as JSON
}

func (f frame) known() bool { return f.text != "" && f.text != mark && f.begin != "" }

func framesOf(c Constraint) []frame {
	frames := make([]frame, len(c.Tools))
	for i, t := range c.Tools {
		f := frame{tool: t, text: c.Write([]chat.Call{{Name: t.Name, Args: []byte(mark)}})}
		if begin, end, ok := strings.Cut(f.text, mark); ok && !strings.Contains(end, mark) {
			f.begin, f.end = begin, end
		}
		frames[i] = f
	}
	return frames
}

// allKnown reports whether the arguments of every call stand in a frame.
func allKnown(fs []frame) bool {
	for _, f := range fs {
		if !f.known() {
			return false
		}
	}
	return len(fs) > 0
}

// between is what stands between two calls, where the second follows the first
// whole; ok is false where several calls stand in a frame of their own.
func between(c Constraint, f frame) (sep string, ok bool) {
	one := chat.Call{Name: f.tool.Name, Args: []byte(mark)}
	two := c.Write([]chat.Call{one, one})
	rest, before := strings.CutPrefix(two, f.begin+mark+f.end)
	sep, behind := strings.CutSuffix(rest, f.begin+mark+f.end)
	return sep, before && behind
}
