package turn

import (
	"strings"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/schema"
)

// wordNames gives names that no syntax can write, such as those with a dot or
// of 65 letters, plain ones: the same for the same list of tools. It is nil
// where all names are plain.
func wordNames(tools []chat.Tool) map[string]string {
	own := make([]string, len(tools))
	taken := map[string]bool{}
	odd := 0
	for i, t := range tools {
		if own[i] = t.Name; nameFits(t.Name) {
			taken[t.Name] = true
		} else if t.Name != "" {
			odd++
		}
	}
	if odd == 0 {
		return nil
	}
	names := map[string]string{}
	made := schema.Names("openai", own)
	for i, name := range own {
		if name == "" || nameFits(name) || names[name] != "" {
			continue
		}
		to := made[i]
		if p := plainName(name); p != "" && !taken[p] {
			to = p
		}
		names[name], taken[to] = to, true
	}
	return names
}

// plainName is a name with _ for what can't stand in one; "" where too little
// of it would be left to be told apart by.
func plainName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r < 0x80 && nameFits(string(r)) {
			return r
		}
		return '_'
	}, name)
	if len(plain) > 64 || strings.Count(plain, "_")-strings.Count(name, "_") > len(plain)/2 {
		return ""
	}
	return plain
}

// plainly gives the request's tools names that can be written, once, and keeps
// the way back. What is known of tools by their names stays known.
func (x *run) plainly(o func(q *chat.Request) args.Options) args.Options {
	options := o(x.q)
	names := wordNames(x.q.Tools)
	if names == nil {
		return options
	}
	x.q = renamed(x.q, "openai", names)
	x.back = make(map[string]string, len(names))
	aliases, rules := map[string]args.Alias{}, map[string]args.Rule{}
	for from, to := range names {
		x.back[to] = from
		aliases[from] = args.Alias{Tool: to} // the words around may name it so
	}
	for name, a := range options.Aliases {
		if to, ok := names[a.Tool]; ok {
			a.Tool = to
		}
		aliases[name] = a
	}
	for name, r := range options.Rules {
		if to, ok := names[name]; ok {
			name = to
		}
		rules[name] = r
	}
	options.Aliases, options.Rules = aliases, rules
	return options
}

// clients is what the client calls a tool.
func (x *run) clients(name string) string {
	if own, ok := x.back[name]; ok {
		return own
	}
	return name
}

// clientNames has calls leave under the client's own names.
func (x *run) clientNames(es []chat.Event) {
	if x.back == nil {
		return
	}
	for i := range es {
		if e := &es[i]; e.Kind == chat.EventCallStart || e.Kind == chat.EventCallEnd {
			e.Call.Name = x.clients(e.Call.Name)
		}
	}
}

// optionsOf says how calls in words are read.
func (x *run) optionsOf(p profile.Profile) args.Options {
	return x.plainly(func(q *chat.Request) args.Options { return argsOptions(q, p, x.r.schemas()) })
}
