package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/ferrule/ferrule/profile"
)

// calls is what may be said of a model's calls and of the tools that it calls.
// But for names, what a tool is called may be a glob.
func (r *reader) calls(p *profile.Profile) fields {
	return fields{
		"on_invalid": named(r, &p.OnInvalid, []profile.OnInvalid{profile.Retry, profile.Pass, profile.Fail}),
		"sees": func(v value) error {
			p.Sees = new(bool)
			return r.bool(v, p.Sees)
		},
		"describe":       func(v value) error { return r.filled(v, &p.Describe, "the model is missing: provider/model") },
		"corrections":    named(r, &p.Corrections, []profile.Corrections{profile.CorrectFull, profile.CorrectShort, profile.CorrectTerse}),
		"thinking_calls": named(r, &p.ThinkingCalls, []profile.Thinking{profile.ThinkingLast, profile.ThinkingEnds, profile.ThinkingNever}),
		"thinking_opened": func(v value) error {
			p.Opened = new(bool)
			return r.bool(v, p.Opened)
		},
		"leaks":          named(r, &p.Leaks, []profile.Leaks{profile.LeaksOn, profile.LeaksOff}),
		"notes":          named(r, &p.Notes, []profile.Notes{profile.NotesEmulated, profile.NotesAlways}),
		"unknown_fields": named(r, &p.Unknown, []profile.Unknown{profile.Keep, profile.Drop}),
		"names":          r.toolNames(p),
		"lenient":        r.lenient(p),
		"effects": r.rules(p, func(rule *profile.ToolRule, v value) error {
			return named(r, &rule.Effects, []profile.Effects{profile.Reads, profile.Writes})(v)
		}),
		"field_names": r.rules(p, func(rule *profile.ToolRule, v value) error { return r.fieldNames(&rule.Keys, v) }),
		"refs":        r.rules(p, func(rule *profile.ToolRule, v value) error { return r.namesOfFields(&rule.Refs, v) }),
		"join":        r.rules(p, func(rule *profile.ToolRule, v value) error { return r.namesOfFields(&rule.Join, v) }),
		"guards":      r.rules(p, func(rule *profile.ToolRule, v value) error { return r.guards(&rule.Guards, v) }),
	}
}

// rules reads an object of tools, of each of which one thing is said.
func (r *reader) rules(p *profile.Profile, say func(*profile.ToolRule, value) error) func(value) error {
	return func(v value) error {
		return r.members(v, func(tools string, _ ast.Node, m value) error {
			rule := profile.ToolRule{Tools: tools}
			if err := say(&rule, m); err != nil {
				return err
			}
			p.Rules = append(p.Rules, rule)
			return nil
		})
	}
}

func (r *reader) lenient(p *profile.Profile) func(value) error {
	return func(v value) error {
		return r.list(v, func(v value) error {
			yes, rule := true, profile.ToolRule{}
			rule.Lenient = &yes
			if err := r.filled(v, &rule.Tools, "the name of a tool is missing"); err != nil {
				return err
			}
			p.Rules = append(p.Rules, rule)
			return nil
		})
	}
}

// toolNames reads the table of what a model calls its tools: a tool's name, or
// one with names of fields.
func (r *reader) toolNames(p *profile.Profile) func(value) error {
	return func(v value) error {
		return r.members(v, func(name string, at ast.Node, m value) error {
			if strings.Contains(name, "*") {
				return r.fault(value{at, v.name}, "a name is one exact name here, * isn't read: %q", name)
			}
			var a profile.Alias
			var err error
			switch m.node.(type) {
			case *ast.MappingNode, *ast.MappingValueNode:
				err = r.object(m, fields{
					"tool": func(v value) error { return r.filled(v, &a.Tool, missingTool) },
					"keys": func(v value) error { return r.fieldNames(&a.Keys, v) },
				})
				if err == nil && a.Tool == "" {
					err = r.fault(m, "tool is missing: the tool that it stands for")
				}
			default:
				err = r.filled(m, &a.Tool, missingTool)
			}
			if err != nil {
				return err
			}
			if p.Aliases == nil {
				p.Aliases = map[string]profile.Alias{}
			}
			p.Aliases[name] = a
			return nil
		})
	}
}

const (
	missingTool  = "the tool that it stands for is missing"
	missingField = "the name of a field is missing"
)

// fieldNames reads a table of a model's names of fields → the tool's.
func (r *reader) fieldNames(dst *map[string]string, v value) error {
	return r.members(v, func(key string, _ ast.Node, m value) error {
		var field string
		if err := r.filled(m, &field, missingField); err != nil {
			return err
		}
		put(dst, key, field)
		return nil
	})
}

func (r *reader) guards(dst *map[string]string, v value) error {
	return r.members(v, func(field string, _ ast.Node, m value) error {
		var guard string
		if err := r.oneOf(&guard, profile.Guards)(m); err != nil {
			return err
		}
		put(dst, field, guard)
		return nil
	})
}

func (r *reader) namesOfFields(dst *[]string, v value) error {
	return r.list(v, func(v value) error {
		var field string
		if err := r.filled(v, &field, missingField); err != nil {
			return err
		}
		*dst = append(*dst, field)
		return nil
	})
}

// filled reads a text that may not be empty.
func (r *reader) filled(v value, dst *string, missing string) error {
	s, err := r.text(v)
	if err != nil {
		return err
	}
	if s == "" {
		return r.fault(v, "%s", missing)
	}
	*dst = s
	return nil
}

func put(dst *map[string]string, key, value string) {
	if *dst == nil {
		*dst = map[string]string{}
	}
	(*dst)[key] = value
}
