package gateway

import (
	"log/slog"
	"sync"

	"github.com/ferrule/ferrule/turn"
)

// mostNotices bounds what notices remembers.
const mostNotices = 2 * mostModels

// notices warns once of each model whose context window makes trouble.
type notices struct {
	mu   sync.Mutex
	seen map[string]bool
}

// first reports whether this is the first of its kind.
func (n *notices) first(kind string, r route) bool {
	key := kind + "\x00" + r.source.Name + "\x00" + r.model
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen[key] || len(n.seen) >= mostNotices {
		return false
	}
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	n.seen[key] = true
	return true
}

// notice tells the log what an exchange showed of the model's context window.
func (s *Server) notice(r route, rep *turn.Report) {
	if r.source == nil {
		return
	}
	model := []any{"provider", r.source.Name, "model", printable(r.model)}
	if rep.Unsized && s.notices.first("unsized", r) {
		s.log.Warn("the model's context window isn't known, so it is told everything of every tool; set context", model...)
	}
	if p := rep.Truncated; p.Counted > 0 && s.notices.first("truncated", r) {
		s.log.Warn("the server cut the prompt without a word, the tools first: its window is too small; on Ollama set num_ctx (or OLLAMA_CONTEXT_LENGTH) to window",
			append(model, slog.Int("sent", p.Estimated), slog.Int("read", p.Counted), slog.Int("window", p.Window()))...)
	}
	if p := rep.Prompt; p.Off() && s.notices.first("estimate", r) {
		s.log.Warn("the estimate of a prompt's tokens is off by more than 20 %; set estimator to another family",
			append(model, slog.Int("estimated", p.Estimated), slog.Int("counted", p.Counted))...)
	}
}
