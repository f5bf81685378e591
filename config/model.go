package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/ferrule/ferrule/profile"
)

// model is what may be said of how a model is asked, beside what its provider is.
func (r *reader) model(p *profile.Profile) fields {
	return fields{
		"history":        r.history(&p.History),
		"descriptions":   named(r, &p.Descriptions, []profile.Descriptions{profile.DescribeFull, profile.DescribeShort, profile.DescribeTerse}),
		"arguments":      named(r, &p.Arguments, []profile.Arguments{profile.ArgumentsHeld, profile.ArgumentsStreamed}),
		"repairs":        r.repairs(&p.Repairs),
		"reasoning_tags": r.tags(&p.Tags),
		"examples": func(v value) error {
			p.Examples = new(bool)
			return r.bool(v, p.Examples)
		},
	}
}

// history reads names of flavours and rules, one or several.
func (r *reader) history(dst *string) func(value) error {
	return func(v value) error {
		s, err := r.text(v)
		if err != nil {
			return err
		}
		if r.env.History != nil {
			if err := r.env.History(s); err != nil {
				return r.fault(v, "%v", err)
			}
		}
		*dst = s
		return nil
	}
}

// repairs reads which are made: a name, and on or off.
func (r *reader) repairs(dst *map[string]bool) func(value) error {
	return func(v value) error {
		return r.members(v, func(name string, at ast.Node, m value) error {
			if r.env.Repairs != nil && !slices.Contains(r.env.Repairs, name) {
				return r.fault(value{at, v.name}, "there is no repair %q%s", name, meant(name, r.env.Repairs))
			}
			var state string
			if err := named(r, &state, []string{"on", "off"})(m); err != nil {
				return err
			}
			if *dst == nil {
				*dst = map[string]bool{}
			}
			(*dst)[name] = state == "on"
			return nil
		})
	}
}

// longestTag bounds an opener and a closer, in bytes.
const longestTag = 64

// tags reads what a model's thinking stands between.
func (r *reader) tags(dst *[]string) func(value) error {
	return func(v value) error {
		var tags []string
		err := r.list(v, func(v value) error {
			s, err := r.text(v)
			if err == nil && (strings.TrimSpace(s) == "" || len(s) > longestTag) {
				err = r.fault(v, "a tag of 1 to %d bytes is wanted", longestTag)
			}
			tags = append(tags, s)
			return err
		})
		if err == nil && (len(tags) != 2 || tags[0] == tags[1]) {
			err = r.fault(v, "an opener and a closer are wanted: [\"<think>\", \"</think>\"]")
		}
		*dst = tags
		return err
	}
}
