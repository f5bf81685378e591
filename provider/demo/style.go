package demo

import (
	"regexp"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// style is one way of telling a model of tools in words, as the model sees it.
type style interface {
	// offer reads tools and framing out of what the model was told; false when
	// the prompt isn't in this style or the contract is broken.
	offer(p prompt) (offer, bool)
	// write writes calls the way that the prompt asks for.
	write(o offer, cs []call) string
	// attempted reports whether the model itself said something like a call.
	attempted(said string) bool
}

// styles are tried in order.
var styles = []style{envelopeStyle{}, taggedStyle{}}

// prompt is what a model is told, without its own words and without results.
type prompt struct {
	told []string // what system and user messages say
	last string   // the last message
}

// offer is what a contract promises.
type offer struct {
	tools []tool
	rules string    // what the contract says behind the list of tools
	shape []byte    // the shape to fill, where one was shown
	tag   string    // around calls, where there is one
	live  [2]string // the argument that shows that a call is meant, and its value
}

func (o offer) find(name string) (tool, bool) {
	for _, t := range o.tools {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// listed finds the list of tools in the prompt and what is said behind it.
func (p prompt) listed() (tools []tool, rules string, ok bool) {
	for _, s := range p.told {
		_, list, found := strings.Cut(s, "<tools>\n")
		if !found {
			continue
		}
		if list, rules, found = strings.Cut(list, "</tools>\n"); !found {
			continue
		}
		for line := range strings.Lines(list) {
			if rawjson.Valid([]byte(line), rawjson.MaxDepth) != nil {
				continue
			}
			if t, ok := readTool([]byte(line)); ok {
				tools = append(tools, t)
			}
		}
		return tools, rules, len(tools) > 0
	}
	return nil, "", false
}

// object writes one call as a JSON object.
func (c call) object() []byte {
	b := rawjson.AppendString([]byte(`{"name": `), c.name)
	return append(append(append(b, `, "arguments": `...), c.args...), '}')
}

// own returns what a user's message says besides the contract, what stands
// before it, and the prompt's tail.
func own(s string) string {
	if _, after, ok := strings.Cut(s, "<tools>\n"); ok {
		if _, rules, ok := strings.Cut(after, "</tools>\n"); ok {
			if _, rest, ok := strings.Cut(rules, "in plain words.\n"); ok {
				s = rest
			}
		}
	}
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-tailLines); i-- {
		if ofTheTail.MatchString(lines[i]) {
			lines = lines[:i]
		}
	}
	return strings.Join(lines, "\n")
}

// A prompt's tail has these lines at most, and begins with one that says so.
const tailLines = 5

var ofTheTail = regexp.MustCompile(`^(?:Call .* in this answer\.|In this answer no tool may|Answer in plain words: no tool|If a tool is needed, answer with|The form of a call:|Some text above looks like a call|.*answer with this JSON object only, filled in)`)
