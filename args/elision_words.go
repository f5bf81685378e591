package args

import "strings"

// What is said of left-out text. A line counts only if all of its words are
// among these: with any other word it says something of its own.

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	// firm are words that say it by themselves.
	firm = set("unchanged unmodified untouched omitted elided truncated snip snipped abbreviated")
	// rests say it of something that is named, or behind an ellipsis.
	rests = set("rest remainder remaining remain remains existing same previous skipped continues continued shortened left kept keep stays stay")
	// wholes are what files are made of; parts what stands in them.
	wholes = set(`code codes file files content contents implementation implementations function functions method methods
		class classes component components module script document page body line lines source section sections text
		logic program template`)
	parts = set(`imports import tests test cases case definitions declarations markup html css jsx styles style rules
		config configuration settings options fields properties props entries items block blocks statements queries rows
		records data values keys elements arguments params parameters variables constants types routes handlers helpers
		hooks state states setup things stuff part parts paragraphs chapters steps attributes members cases columns
		list lists table tables docstring documentation
		endpoints dependencies scripts packages exports interfaces structs enums events commands checks validation`)
	// which says of which of them.
	which = set("the a all any of my your our this that these those other others more some several additional further original current your its and or")
	// glue stands between all these.
	glue = set(`is are was were be been as it its for brevity clarity simplicity readability space here above below
		before earlier from in to with without no not any change changes changed modify modified doesnt dont need needs
		stays stay exactly just up down goes go etc see todo note nb previously already out still both per at end start
		beginning top bottom can will`)
)

func number(w string) bool { return strings.Trim(w, "0123456789") == "" }

// saysRest reports whether words say that something is left out, and nothing else.
func saysRest(words []string) bool {
	says, names := false, false
	for _, w := range words {
		names = names || wholes[w] || parts[w]
	}
	before := anyOf(words, "before", "above", "earlier", "original", "existing", "as", "here", "below", "rest") || names
	for _, w := range words {
		switch {
		case firm[w]:
			says = true
		case w == "same" || w == "left" || w == "keep" || w == "kept" || w == "stay" || w == "stays":
			says = says || before
		case rests[w]:
			says = true
		case wholes[w], parts[w], which[w], glue[w], number(w):
		default:
			return false
		}
	}
	return says
}

// saysRestFirmly is for lines whose ellipsis doesn't come first: "Loading
// existing items..." is a message.
func saysRestFirmly(words []string) bool {
	if !saysRest(words) || anyOf(words, "todo") {
		return false
	}
	named := false
	for _, w := range words {
		if parts[w] {
			return false
		}
		named = named || wholes[w] || firm[w]
	}
	return named || anyOf(words, "same") && anyOf(words, "before", "above")
}

// namesPart reports whether words only name what files are made of: "… imports …".
func namesPart(words []string) bool {
	names := false
	for _, w := range words {
		switch {
		case wholes[w], parts[w]:
			names = true
		case which[w], number(w), w == "here", w == "goes":
		default:
			return false
		}
	}
	return names
}

func anyOf(words []string, of ...string) bool {
	for _, w := range words {
		for _, o := range of {
			if w == o {
				return true
			}
		}
	}
	return false
}
