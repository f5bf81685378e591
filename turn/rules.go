package turn

import (
	"strings"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// argsOptions says how calls to q's tools are read: what the profile knows of
// them, and what the tools say of themselves.
func argsOptions(q *chat.Request, p profile.Profile, cache *schema.Cache) args.Options {
	o := args.Options{
		Cache:       cache,
		Parallel:    q.Parallel == nil || *q.Parallel,
		DropUnknown: p.Unknown == profile.Drop,
		Aliases:     aliasesOf(q.Tools, p),
		Rules:       rulesOf(q.Tools, p),
	}
	for name, on := range p.Repairs {
		if !on {
			if o.Off == nil {
				o.Off = map[string]bool{}
			}
			o.Off[name] = true
		}
	}
	for _, r := range o.Rules {
		if len(r.Guards) > 0 {
			o.Seen = args.NewSeen(seenTexts(q))
			break
		}
	}
	return o
}

// aliasesOf returns the aliases of the tools that are offered; nil where there are none.
func aliasesOf(tools []chat.Tool, p profile.Profile) map[string]args.Alias {
	var out map[string]args.Alias
	for name, a := range p.Aliases {
		for _, t := range tools {
			if t.Name != a.Tool {
				continue
			}
			if out == nil {
				out = make(map[string]args.Alias, len(p.Aliases))
			}
			out[name] = args.Alias(a)
			break
		}
	}
	return out
}

// rulesOf returns what is known of each tool, by its name; nil where nothing is.
func rulesOf(tools []chat.Tool, p profile.Profile) map[string]args.Rule {
	var out map[string]args.Rule
	for _, t := range tools {
		r, known := ruleOf(t, p)
		if !known {
			continue
		}
		if out == nil {
			out = make(map[string]args.Rule, len(tools))
		}
		// Of two tools with one name the stricter word counts.
		r.Writes = r.Writes || out[t.Name].Writes
		out[t.Name] = r
	}
	return out
}

func ruleOf(t chat.Tool, p profile.Profile) (r args.Rule, known bool) {
	said := p.Rule(t.Name)
	r = args.Rule{
		Writes:  said.Effects == profile.Writes || said.Effects == "" && destructive(t),
		Lenient: said.Lenient != nil && *said.Lenient,
		Keys:    said.Keys,
		Refs:    said.Refs,
		Join:    said.Join,
	}
	if len(said.Guards) > 0 {
		r.Guards = make(map[string]args.Guard, len(said.Guards))
		for field, g := range said.Guards {
			r.Guards[field] = args.Guard(g)
		}
	}
	known = r.Writes || r.Lenient || len(r.Keys)+len(r.Refs)+len(r.Join)+len(r.Guards) > 0
	return r, known
}

// destructive reports whether a tool carries MCP's hint that it may destroy
// something. Its other hints promise harmlessness, which nobody has checked.
func destructive(t chat.Tool) bool {
	found := false
	for key, v := range t.Extra {
		if !strings.HasSuffix(key, ".annotations") || rawjson.Kind(v) != '{' {
			continue
		}
		_ = rawjson.Members(v, func(k, v []byte) bool { // the codec has seen to errors
			found = found || string(k) == "destructiveHint" && string(v) == "true"
			return !found
		})
	}
	return found
}

// seenTexts lists the words of a conversation, oldest first: what was said, what
// tools gave back, and the values in the calls of earlier turns.
func seenTexts(q *chat.Request) []string {
	texts := appendTexts(nil, q.System)
	for _, m := range q.Messages {
		texts = appendTexts(texts, m.Parts)
	}
	return texts
}

func appendTexts(texts []string, parts []chat.Part) []string {
	for _, p := range parts {
		switch p := p.(type) {
		case chat.Text:
			texts = append(texts, p.Text)
		case chat.Result:
			texts = appendTexts(texts, p.Parts)
		case chat.Call:
			if rawjson.Valid(p.Args, schema.MaxNesting) != nil {
				texts = append(texts, string(p.Args))
				continue
			}
			texts = appendValues(texts, p.Args)
		}
	}
	return texts
}

// appendValues appends the strings and numbers in the JSON value b, which isn't
// nested beyond schema.MaxNesting.
func appendValues(texts []string, b []byte) []string {
	switch rawjson.Kind(b) {
	case '{':
		_ = rawjson.Members(b, func(_, v []byte) bool { texts = appendValues(texts, v); return true })
	case '[':
		_ = rawjson.Elements(b, func(v []byte) bool { texts = appendValues(texts, v); return true })
	case '"':
		if s, err := rawjson.String(b); err == nil {
			texts = append(texts, s)
		}
	case '0':
		texts = append(texts, string(b))
	}
	return texts
}
