package probe

import (
	"context"
	"errors"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/turn"
)

const (
	weather    = "What is the weather in Paris?"
	bothPlaces = "What is the weather in Paris, and what is it in Oslo? Look up both at once."
	cityField  = `{"type":"string","description":"the city"}`
)

func ask(text string) *chat.Request {
	return &chat.Request{Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: text}}}}}
}

// offer is the one tool that all questions are about.
func offer(name, city string) chat.Tool {
	return chat.Tool{
		Name: name, Kind: chat.ToolFunction, Description: "Tells the weather in a city.",
		Schema: []byte(`{"type":"object","properties":{"city":` + city + `},"required":["city"],"$defs":{"city":{"type":"string"}}}`),
	}
}

func withTool(text string) *chat.Request {
	q := ask(text)
	t := offer("get_weather", cityField)
	t.Schema = []byte(`{"type":"object","properties":{"city":` + cityField + `},"required":["city"]}`)
	q.Tools = []chat.Tool{t}
	return q
}

// right reports whether a call is the one that was hoped for.
func right(c chat.Call, city string) bool {
	v, _ := rawjson.Get(c.Args, "city")
	said, err := rawjson.String(v)
	return err == nil && strings.Contains(strings.ToLower(said), strings.ToLower(city))
}

func (p *Probe) plain(ctx context.Context) Finding {
	q := ask("Say hello.")
	r := p.send(ctx, q)
	return r.finding(q, strings.TrimSpace(r.text) != "")
}

func (p *Probe) streams(ctx context.Context) Finding {
	q := ask("Say hello.")
	q.Stream = true
	r := p.send(ctx, q)
	return r.finding(q, strings.TrimSpace(r.text) != "")
}

func (p *Probe) call(ctx context.Context) Finding {
	q := withTool(weather)
	r := p.send(ctx, q)
	return r.finding(q, len(r.calls) > 0 && right(r.calls[0], "paris"))
}

func (p *Probe) callStream(ctx context.Context) Finding {
	q := withTool(weather)
	q.Stream = true
	r := p.send(ctx, q)
	return r.finding(q, len(r.calls) > 0 && right(r.calls[0], "paris"))
}

func (p *Probe) several(ctx context.Context) Finding {
	q := withTool(bothPlaces)
	r := p.send(ctx, q)
	return r.finding(q, len(r.calls) == 2 && (right(r.calls[0], "paris") && right(r.calls[1], "oslo") || right(r.calls[0], "oslo") && right(r.calls[1], "paris")))
}

func (p *Probe) required(ctx context.Context) Finding {
	q := withTool("Say hello. My city is Paris.")
	q.Choice = chat.Choice{Mode: chat.ChoiceRequired}
	r := p.send(ctx, q)
	return r.finding(q, len(r.calls) > 0)
}

func (p *Probe) result(ctx context.Context) Finding {
	q := withTool(weather)
	q.Messages = append(q.Messages,
		chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{chat.Call{ID: "call00001", Name: "get_weather", Args: []byte(`{"city":"Paris"}`)}}},
		chat.Message{Role: chat.RoleTool, Parts: []chat.Part{chat.Result{ID: "call00001", Name: "get_weather", Parts: []chat.Part{chat.Text{Text: "Rain, 7 degrees."}}}}})
	r := p.send(ctx, q)
	return r.finding(q, strings.Contains(r.text, "7"))
}

// feature asks whether a schema with it is taken; what the model makes of it
// doesn't matter.
func feature(city string) func(p *Probe, ctx context.Context) Finding {
	return func(p *Probe, ctx context.Context) Finding {
		q := ask(weather)
		q.Tools = []chat.Tool{offer("get_weather", city)}
		return p.send(ctx, q).finding(q, true)
	}
}

func (p *Probe) dottedName(ctx context.Context) Finding {
	q := ask(weather)
	q.Tools = []chat.Tool{offer("get.weather", cityField)}
	return p.send(ctx, q).finding(q, true)
}

func (p *Probe) format(ctx context.Context) Finding {
	q := ask("Name a city and its country, as JSON.")
	q.Format = &chat.Format{
		Type: "json_schema", Name: "place",
		Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"},"country":{"type":"string"}},"required":["city","country"],"additionalProperties":false}`),
	}
	r := p.send(ctx, q)
	text := []byte(strings.TrimSpace(r.text))
	_, city := rawjson.Get(text, "city")
	_, country := rawjson.Get(text, "country")
	return r.finding(q, rawjson.Valid(text, rawjson.MaxDepth) == nil && city && country)
}

func (p *Probe) inWords(ctx context.Context) Finding { return p.worded(ctx, profile.Honoured) }

func (p *Probe) inUsersWords(ctx context.Context) Finding { return p.worded(ctx, profile.Dropped) }

// worded asks for a call in words, as a client of the gateway would.
func (p *Probe) worded(ctx context.Context, system profile.System) Finding {
	q := withTool(weather)
	limit := MaxTokens
	q.Sampling.MaxTokens = &limit
	pr := p.Profile
	pr.Tools, pr.System = profile.Emulated, system
	var r reply
	rep, err := (&turn.Runner{Key: p.Key}).Run(ctx, turn.Target{Provider: p.Provider, Model: p.Model, Upstream: p.Upstream, Profile: pr}, q, func(f chat.Frame) error {
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				r.text += e.Text
			case chat.EventCallEnd:
				r.calls = append(r.calls, e.Call)
			}
		}
		return nil
	})
	var fault *chat.Fault
	if r.err = err; errors.As(err, &fault) && (fault.Code == turn.CodeToolCallInvalid || fault.Status == 200) {
		r.text, r.err = fault.Text, nil // the model did something else
	}
	f := r.finding(q, len(r.calls) > 0 && right(r.calls[0], "paris"))
	f.Requests = rep.Requests
	if f.Answer == Yes {
		f.Detail = rep.Syntax
	}
	return f
}
