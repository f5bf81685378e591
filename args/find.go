package args

import (
	"slices"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/near"
)

// The names of what is set right in a tool's name.
const (
	RepairCase      = "name_case"      // case, dashes, underscores, dots
	RepairNamespace = "name_namespace" // a namespace that models know from training
	RepairCounter   = "name_counter"   // the number of the call, hung on the name
	RepairAlias     = "name_alias"     // another name that the operator lists
)

// Find returns the tool that a name means: the one of exactly this name, the one
// that an alias of exactly this name stands for, else the only one that equals it once case, dashes, underscores, dots, a known
// namespace or a counter at the end are set aside; repair names which. Where
// two tools would do there is none, and like names both. Where none would, near
// has up to three names that look like it, for an error message only.
func (s *Set) Find(name string) (t *chat.Tool, repair string, like []string) {
	i, repair, several := s.find(name)
	if i >= 0 {
		return &s.tools[i].Tool, repair, nil
	}
	if len(several) > 0 {
		return nil, "", several
	}
	return nil, "", near.Names(name, s.names, 3)
}

func (s *Set) find(name string) (i int, repair string, several []string) {
	if i := slices.Index(s.names, name); i >= 0 {
		return i, "", nil
	}
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName {
		return -1, "", nil
	}
	for _, stage := range []struct {
		repair string
		match  func(string) []int
	}{
		{RepairAlias, s.aliased}, // an exact name goes before likeness
		{RepairCase, s.equal},
		{RepairNamespace, s.inNamespace},
		{RepairCounter, s.withCounter},
	} {
		found := stage.match(name)
		slices.Sort(found)
		found = slices.Compact(found)
		switch {
		case len(found) == 1:
			return found[0], stage.repair, nil
		case len(found) > 1:
			for _, i := range found {
				several = append(several, s.names[i])
			}
			return -1, "", several
		}
	}
	return -1, "", nil
}

// maxName is the longest name that is looked for, in bytes.
const maxName = 256

// fold sets aside case and separators.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// namespaces are the prefixes that models were trained to put before any tool.
var namespaces = []string{"functions", "function", "default_api", "tools", "tool", "repo_browser", "file_system"}

// withoutNamespace takes one known namespace off a name. What follows it must
// be a separator that no plain name has: tool_use is a name of its own.
func withoutNamespace(name string) (string, bool) {
	lower := strings.ToLower(name)
	for _, ns := range namespaces {
		rest, ok := strings.CutPrefix(lower, ns)
		if !ok {
			continue
		}
		for _, sep := range []string{".", ":", "/", "__"} {
			if r, ok := strings.CutPrefix(rest, sep); ok && r != "" {
				return name[len(name)-len(r):], true
			}
		}
	}
	if rest, ok := strings.CutPrefix(lower, "mcp__"); ok {
		if i := strings.Index(rest, "__"); i > 0 && i+2 < len(rest) {
			return name[len(name)-len(rest)+i+2:], true
		}
	}
	return name, false
}

func (s *Set) equal(name string) []int { return slices.Clone(s.folded[fold(name)]) }

func (s *Set) inNamespace(name string) []int {
	if rest, ok := withoutNamespace(name); ok {
		if i := slices.Index(s.names, rest); i >= 0 {
			return []int{i}
		}
		// Never out of one namespace into another: mcp__prod__drop isn't mcp__test__drop.
		return slices.Clone(s.folded[fold(rest)])
	}
	return slices.Clone(s.bare[fold(name)])
}

// withCounter sets aside one or more numbers at the end, each behind a separator.
func (s *Set) withCounter(name string) []int {
	var out []int
	for rest := name; ; {
		digits := len(rest) - len(strings.TrimRight(rest, "0123456789"))
		rest = rest[:len(rest)-digits]
		if digits == 0 || rest == "" || !strings.ContainsAny(rest[len(rest)-1:], ":_-.#") {
			break
		}
		rest = strings.TrimRight(rest, ":_-.#")
		out = append(append(out, s.equal(rest)...), s.inNamespace(rest)...)
	}
	return append(out, s.runTogether(name)...)
}

// aliased looks a name up among those that the operator lists, exactly.
func (s *Set) aliased(name string) []int {
	if i := slices.Index(s.names, s.aliases[name].Tool); i >= 0 {
		return []int{i}
	}
	return nil
}

// runTogether reads a name that lost its separators: functionsexec5 is
// functions.exec:5. The three parts must use it up.
func (s *Set) runTogether(name string) []int {
	rest, ok := strings.CutPrefix(strings.ToLower(name), namespaces[0])
	if !ok {
		return nil
	}
	var out []int
	for key, is := range s.folded {
		if tail, ok := strings.CutPrefix(rest, key); ok && key != "" && strings.Trim(tail, "0123456789") == "" {
			out = append(out, is...)
		}
	}
	return out
}
