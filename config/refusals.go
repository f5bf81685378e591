package config

import (
	"slices"

	"github.com/ferrule/ferrule/refusal"
)

// refusals reads the ways of refusing that are known here and nowhere else.
func (r *reader) refusals(c *Config) func(value) error {
	return func(v value) error {
		return r.list(v, func(v value) error {
			var row refusal.Row
			err := r.object(v, fields{
				"match":  func(v value) error { return r.filled(v, &row.Match, "the words that the provider says are missing") },
				"class":  r.oneOf(&row.Class, refusal.Classes()),
				"action": r.oneOf(&row.Action, refusal.Actions()),
			})
			if err != nil {
				return err
			}
			for _, need := range [][2]string{{"match", row.Match}, {"class", row.Class}} {
				if need[1] == "" {
					return r.fault(v, "%s is missing", need[0])
				}
			}
			if err := row.Check(); err != nil {
				return r.fault(v, "%v", err)
			}
			if slices.ContainsFunc(c.Refusals, func(o refusal.Row) bool { return o.Match == row.Match }) {
				return r.fault(v, "there are two refusals with the match %q: only the first would count", row.Match)
			}
			c.Refusals = append(c.Refusals, row)
			return nil
		})
	}
}
