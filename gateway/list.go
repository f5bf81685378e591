package gateway

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ferrule/ferrule/profile"
)

// Model is one model in the shapes of OpenAI and Anthropic at once, which share
// the path.
type Model struct {
	ID          string       `json:"id"`
	Object      string       `json:"object"`
	Created     int64        `json:"created"`
	OwnedBy     string       `json:"owned_by"`
	Type        string       `json:"type"`
	DisplayName string       `json:"display_name"`
	CreatedAt   string       `json:"created_at"`
	Mode        profile.Mode `json:"tool_calling_mode"`
	Context     int          `json:"context_window,omitempty"`
}

// mode returns how a model gets its tools, as far as is known.
func (s *Server) mode(src *source, name string) profile.Mode {
	p := src.profile(name)
	if f := s.runner.Facts; f != nil {
		p = p.Learn(f.Learned(profile.Place{Provider: src.Name, Model: name}))
	}
	switch {
	case p.Words():
		return profile.Emulated
	case p.Tools == "" || p.Tools == profile.Auto:
		return profile.Native // until the provider refuses
	}
	return p.Tools
}

func (s *Server) describe(id string, src *source, name string) Model {
	// No provider tells when a model was made in a way that can be relied on.
	return Model{
		ID: id, Object: "model", OwnedBy: src.Name, Type: "model", DisplayName: id,
		CreatedAt: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Mode:      s.mode(src, name), Context: src.profile(name).Context,
	}
}

// ModelList is what GET /v1/models answers.
type ModelList struct {
	Object  string  `json:"object"`
	Data    []Model `json:"data"`
	HasMore bool    `json:"has_more"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
}

// Models lists all known models and then the aliases. A provider whose list
// can't be had is there with its configured models.
func (s *Server) Models(ctx context.Context) ModelList {
	s.models.wait(ctx, s.models.sources)
	all := []Model{}
	for _, src := range s.models.sources {
		for _, n := range src.names() {
			all = append(all, s.describe(src.Name+"/"+n, src, n))
		}
	}
	for _, a := range slices.Sorted(maps.Keys(s.models.aliases)) {
		if found, fault := s.models.direct(ctx, s.models.aliases[a]); fault == nil {
			all = append(all, s.describe(a, found.source, found.model))
		}
	}
	list := ModelList{Object: "list", Data: all}
	if n := len(all); n > 0 {
		list.FirstID, list.LastID = &all[0].ID, &all[n-1].ID
	}
	return list
}

func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	s.writeJSON(w, s.Models(r.Context()))
}

// oneModel answers for every name that a request may carry.
func (s *Server) oneModel(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	found, fault := s.models.resolve(r.Context(), id)
	if fault == nil && !found.known {
		found.source.wait(r.Context())
		if found.source.hasList() && !found.source.has(found.model) {
			fault = s.models.notFound(id)
		}
	}
	if fault != nil {
		s.refuse(w, fault)
		return
	}
	s.writeJSON(w, s.describe(id, found.source, found.model))
}

func (s *Server) writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		s.refuse(w, asFault(err))
		return
	}
	w.Header().Set(contentType, "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
