package gateway

import (
	"net/http"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/turn"
)

// counted is the answer to a question for the tokens of a request.
type counted struct {
	Input int `json:"input_tokens"`
}

// count tells about how many tokens a request has: by the estimate of the
// model's family, for few upstreams count without answering.
func (s *Server) count(w http.ResponseWriter, r *http.Request, sf *Surface) {
	l := lease{from: &s.inFlight}
	defer l.end()
	body, fault := s.readBody(w, r, &l)
	var q *chat.Request
	if fault == nil {
		q, fault = sf.Server.DecodeRequest(r.URL.Path, chat.Wire{Protocol: sf.Protocol, Header: r.Header, Body: body})
	}
	var found route
	if fault == nil {
		found, fault = s.models.resolve(r.Context(), q.Model)
	}
	if fault != nil {
		s.writeFault(w, sf, fault)
		return
	}
	s.writeJSON(w, counted{turn.BudgetOf(q, found.source.profile(found.model), found.model).Whole()})
}
