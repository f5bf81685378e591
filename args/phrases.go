package args

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ferrule/ferrule/near"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// line is one problem in words. Text follows Name as it is.
type line struct {
	Name, Text string
	more       int // names gathered in it
}

// linesOf gathers the names that an object doesn't have in one line, where none
// of them is like one that it has.
func linesOf(ps []schema.Problem) []line {
	var out []line
	at := map[string]int{} // by the object's pointer
	for _, p := range ps {
		l := lineOf(p)
		if p.Keyword == "additionalProperties" && len(near.Names(lastToken(p), p.Allowed, 1)) == 0 {
			object := p.Pointer[:max(strings.LastIndexByte(p.Pointer, '/'), 0)]
			if i, ok := at[object]; ok {
				switch out[i].more++; {
				case out[i].more < 8:
					out[i].Name += ", " + l.Name
				case out[i].more == 8:
					out[i].Name += ", …"
				}
				out[i].Text = strings.Replace(l.Text, " is not a field of", " are not fields of", 1)
				continue
			}
			at[object] = len(out)
		}
		out = append(out, l)
	}
	return out
}

func lastToken(p schema.Problem) string {
	return p.Pointer[strings.LastIndexByte(p.Pointer, '/')+1:]
}

// phrases are what problems of a keyword say; the others say wanted and sent.
var phrases = map[string]func(schema.Problem) string{
	"required": func(p schema.Problem) string { return " is missing, wanted " + p.Want },
	"additionalProperties": func(p schema.Problem) string {
		return " is not a field of this tool" + instead(p)
	},
	"duplicate": func(p schema.Problem) string {
		return " stands twice with different values: " + sent(p.Got) + "; send one"
	},
	"placeholder": func(p schema.Problem) string {
		return " holds the example's own words " + p.Got + "; send a real value"
	},
	"too_complex": func(schema.Problem) string { return " is too large to check; send less" },
	"false": func(p schema.Problem) string {
		if p.Path == "" {
			return " can't pass: this tool takes nothing"
		}
		return " is not taken here; leave it out"
	},
	"guard_cut_id":  remedy,
	"guard_elision": remedy,
	"loss":          lost,
	"join": func(p schema.Problem) string {
		if p.Path == "" {
			return " came as several objects; send one object"
		}
		return " came in several pieces; send one text"
	},
	"close": func(schema.Problem) string { return " weren't closed; write the whole call again" },
	"several": func(p schema.Problem) string {
		return " are several objects; send " + orElse(p.Want, "one call at a time")
	},
	"other_tool":  otherTool,
	"schema_echo": func(schema.Problem) string { return " hold the tool's schema, not values; send values for its fields" },
}

// remedy is for problems that say themselves what to send.
func remedy(p schema.Problem) string {
	if p.Got == "" {
		return ": send " + p.Want
	}
	return ": send " + p.Want + " (got " + sent(p.Got) + ")"
}

func lost(p schema.Problem) string {
	const why = " could change what the call does; "
	if p.Path == "" {
		return " would lose a part, which" + why + "send only what the tool takes"
	}
	if like := near.Names(lastToken(p), p.Allowed, 2); len(like) > 0 {
		return " isn't a field of this tool, and leaving it out" + why + "did you mean " + strings.Join(like, " or ") + "?"
	}
	return " isn't a field of this tool, and leaving it out" + why + "leave it out yourself if it isn't needed, or say it with another field"
}

func otherTool(p schema.Problem) string {
	name := p.Got
	if s, err := rawjson.String([]byte(p.Got)); err == nil {
		name = s
	}
	verb := " hold a call to"
	if p.Path != "" {
		verb = " names"
	}
	return verb + " another tool, " + quote(name) + "; call that tool itself"
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// unhelpful reports whether an example would lead the wrong way: the model
// copied one, or meant another tool.
func unhelpful(ps []schema.Problem) bool {
	return len(ps) > 0 && !slices.ContainsFunc(ps, func(p schema.Problem) bool {
		return p.Keyword != "placeholder" && p.Keyword != "other_tool"
	})
}

func lineOf(p schema.Problem) line {
	l := line{Name: place(p.Path)}
	if phrase, ok := phrases[p.Keyword]; ok {
		l.Text = phrase(p)
		return l
	}
	want := p.Want
	if p.Pointer == "" && p.Keyword == "type" {
		want = "one object with the tool's fields"
	}
	if len(p.Allowed) > 1 {
		want = "one of " + options(p)
	}
	l.Text = ": wanted " + want + ", got " + sent(p.Got)
	return l
}

// maxOptions and maxOptionText are how many options a line lists, and how many
// characters of them in all.
const (
	maxOptions    = 20
	maxOptionText = 240
)

// options lists what may be sent. Of many those that look like what was sent
// come first.
func options(p schema.Problem) string {
	all := slices.Clone(p.Allowed)
	if len(all) > maxOptions {
		bare := make([]string, len(all))
		for i, o := range all {
			bare[i] = strings.Trim(o, `"`)
		}
		like := near.Names(strings.Trim(p.Got, `"`), bare, 3)
		slices.SortStableFunc(all, func(a, b string) int {
			return rank(like, strings.Trim(a, `"`)) - rank(like, strings.Trim(b, `"`))
		})
	}
	var shownOnes []string
	left := maxOptionText
	for _, o := range all[:min(len(all), maxOptions)] {
		o = cutTo(o, maxShown)
		if left -= utf8.RuneCountInString(o) + len(", "); left < 0 && len(shownOnes) > 0 {
			break
		}
		shownOnes = append(shownOnes, o)
	}
	out := strings.Join(shownOnes, ", ")
	if more := len(all) - len(shownOnes); more > 0 {
		out += " and " + strconv.Itoa(more) + " more"
	}
	return out
}

// rank is where a name stands in a list; behind it where it doesn't.
func rank(list []string, name string) int {
	if i := slices.Index(list, name); i >= 0 {
		return i
	}
	return len(list)
}

// instead names the fields that an unknown one may have meant.
func instead(p schema.Problem) string {
	if like := near.Names(lastToken(p), p.Allowed, 2); len(like) > 0 {
		return "; did you mean " + strings.Join(like, " or ") + "?"
	}
	if len(p.Allowed) == 0 {
		return "; leave it out"
	}
	var names []string
	left := maxOptionText
	for _, n := range p.Allowed[:min(len(p.Allowed), maxOptions)] {
		n = cutTo(n, maxShown)
		if left -= utf8.RuneCountInString(n) + len(", "); left < 0 && len(names) > 0 {
			break
		}
		names = append(names, n)
	}
	if len(names) < len(p.Allowed) {
		names = append(names, "…")
	}
	return "; its fields are " + strings.Join(names, ", ")
}
