package schema

import (
	"slices"
	"strings"
)

// The keywords that bound a number, a length and a count: low, low and left
// out, high, high and left out.
var (
	numberBounds = [4]string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"}
	lengthBounds = [4]string{"minLength", "", "maxLength", ""}
	countBounds  = [4]string{"minItems", "", "maxItems", ""}
)

// between writes the bounds of a number, a length or a count.
func between(n *node, keys [4]string, unit string) string {
	low, above := bound(n, keys[0], keys[1])
	high, below := bound(n, keys[2], keys[3])
	if unit != "" && low == "0" {
		low = ""
	}
	atLeast, atMost := "≥", "≤"
	if above {
		atLeast = ">"
	}
	if below {
		atMost = "<"
	}
	switch {
	case low == "" && high == "":
		return ""
	case high == "":
		return atLeast + low + unit
	case low == "":
		return atMost + high + unit
	case above || below:
		return atLeast + low + ", " + atMost + high + unit
	case low == high:
		return low + unit
	case strings.HasPrefix(low, "-"):
		return low + " to " + high + unit
	}
	return low + "–" + high + unit
}

// bound returns a limit, and whether it itself is left out.
func bound(n *node, key, strict string) (limit string, without bool) {
	if v := n.get(key); v != nil && v.kind == '0' {
		limit = string(v.raw)
	}
	if strict == "" {
		return limit, false
	}
	switch v := n.get(strict); {
	case isTrue(v): // draft 4
		return limit, limit != ""
	case v != nil && v.kind == '0':
		return string(v.raw), true
	}
	return limit, false
}

func multiple(n *node) string {
	if v := n.get("multipleOf"); v != nil && v.kind == '0' {
		return "a multiple of " + string(v.raw)
	}
	return ""
}

func differing(n *node) string {
	if isTrue(n.get("uniqueItems")) {
		return "all different"
	}
	return ""
}

// hints writes what is said of a type beside it.
func hints(all ...string) string {
	all = slices.DeleteFunc(all, func(h string) bool { return h == "" })
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}
