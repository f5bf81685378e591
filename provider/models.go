package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ferrule/ferrule/rawjson"
)

// Model is one model that an upstream lists.
type Model struct {
	ID    string
	Entry []byte // what the list says of it, as it came
}

// Models asks the upstream which models it has. It takes the OpenAI list and
// the forms near it: a bare array, "models" for "data", null for none; of a list
// in pages, at most 20 of them. Errors are *chat.Fault, or the context's own when
// the caller gave up.
func (p *Provider) Models(ctx context.Context) ([]Model, error) {
	var all []Model
	path := p.way.models
	for range maxPages {
		raw, err := p.get(ctx, path, nil)
		if err != nil {
			return nil, err
		}
		ms, ok := readModels(raw, p.way.serves)
		if !ok {
			return nil, p.fault(codeNotJSON, http.StatusBadGateway,
				"answered GET /models with something that isn't a list of models. Check the provider's url: the base of an API often ends in /v1.")
		}
		all = append(all, p.way.own(ms)...)
		if path = p.way.nextPage(raw); path == "" {
			break
		}
	}
	return all, nil
}

// Ask gets what an upstream's server says at a path of its root, which is what
// stands before the /v1 of its base; with a body it is posted. Errors are as
// those of Models.
func (p *Provider) Ask(ctx context.Context, path string, body []byte) ([]byte, error) {
	root := *p.base
	root.Path, root.RawPath = strings.TrimSuffix(root.Path, "/v1"), ""
	server := *p
	server.base = &root
	return server.get(ctx, path, body)
}

// get gets what is known without a model's being asked.
func (p *Provider) get(ctx context.Context, path string, body []byte) ([]byte, error) {
	h := p.requestHeader(nil, false)
	if body == nil {
		delete(h, "Content-Type")
	}
	resp, g, err := p.do(ctx, path, h, body, p.bounds.Models, p.bounds.Models)
	if err != nil {
		return nil, err
	}
	defer release(resp, g)
	if f := p.check(resp); f != nil {
		return nil, f
	}
	a := &answer{r: resp.Body, guard: g, left: p.bounds.Text, parent: ctx, provider: p}
	if resp.StatusCode != http.StatusOK {
		return nil, p.refused(resp, a)
	}
	raw, err := io.ReadAll(a)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, p.fault(codeCut, http.StatusBadGateway, "cut what it says of its models short. Check the server's log.")
	}
	return raw, err
}

// readModels reads a list of models, those that serve takes; false when it is
// none. A nil serve takes all.
func readModels(raw []byte, serve func(model []byte) bool) ([]Model, bool) {
	if rawjson.Valid(raw, rawjson.MaxDepth) != nil {
		return nil, false
	}
	list := raw
	if rawjson.Kind(raw) == '{' {
		var found bool
		for _, key := range []string{"data", "models"} {
			if list, found = rawjson.Get(raw, key); found && rawjson.Kind(list) == '[' {
				break
			}
		}
		if list == nil || rawjson.Kind(list) != '[' {
			data, ok := rawjson.Get(raw, "data")
			return nil, ok && rawjson.Kind(data) == 'n'
		}
	}
	var ms []Model
	seen := map[string]bool{}
	err := rawjson.Elements(list, func(v []byte) bool {
		m := Model{ID: modelID(v), Entry: v}
		if m.ID == "" || seen[m.ID] || serve != nil && !serve(v) {
			return true
		}
		seen[m.ID] = true
		ms = append(ms, m)
		return true
	})
	return ms, err == nil
}

func modelID(v []byte) string {
	for _, key := range []string{"id", "name"} {
		if raw, ok := rawjson.Get(v, key); ok {
			if id, err := rawjson.String(raw); err == nil && id != "" {
				return id
			}
		}
	}
	return ""
}
