package gateway

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/turn"
)

//go:embed describe.md
var describeText string

// Bounds on the description of one picture.
const (
	describeTokens = 700
	describeBytes  = 64 << 10
	describeTime   = 60 * time.Second
)

var errNothingTold = errors.New("the describing model said nothing")

// describer asks the model that a profile names what a picture shows; nil where
// it names none.
func (s *Server) describer(p profile.Profile) turn.Describer {
	if p.Describe == "" {
		return nil
	}
	return func(ctx context.Context, image chat.Image) (string, error) {
		text, err := s.tellPicture(ctx, p.Describe, image)
		if err != nil && ctx.Err() == nil {
			why := err.Error()
			if f := (*chat.Fault)(nil); errors.As(err, &f) {
				why = f.Code // its text may repeat what the picture shows
			}
			s.log.LogAttrs(ctx, slog.LevelWarn, "a picture wasn't described", slog.String("describe", p.Describe), slog.String("why", printable(why)))
		}
		return text, err
	}
}

func (s *Server) tellPicture(ctx context.Context, name string, image chat.Image) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	to, fault := s.models.direct(ctx, name)
	if fault != nil {
		return "", fault
	}
	most := describeTokens
	answer, err := to.source.Upstream.Send(ctx, &chat.Request{
		Model:    to.model,
		Messages: []chat.Message{{Role: chat.RoleUser, Parts: []chat.Part{chat.Text{Text: strings.TrimSpace(describeText)}, image}}},
		Sampling: chat.Sampling{MaxTokens: &most},
	})
	if err != nil {
		return "", fmt.Errorf("ask %s about a picture: %w", name, err)
	}
	defer answer.Close()
	var b strings.Builder
	for {
		f, err := answer.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", fmt.Errorf("read what %s tells of a picture: %w", name, err)
		}
		for _, e := range f.Events {
			switch e.Kind {
			case chat.EventText:
				b.WriteString(e.Text)
			case chat.EventFault:
				return "", fmt.Errorf("read what %s tells of a picture: %w", name, e.Fault)
			}
		}
		if b.Len() > describeBytes {
			break
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", errNothingTold
	}
	return b.String(), nil
}

// checkDescribers refuses a configuration whose describing models can't be found.
func (c *catalogue) checkDescribers() error {
	for _, s := range c.sources {
		all := []profile.Profile{s.Profile}
		for _, m := range s.Models {
			all = append(all, m)
		}
		for _, p := range all {
			if p.Describe != "" && c.prefix(p.Describe) == nil {
				return fmt.Errorf("provider %s: describe is %q: there is no such provider; write provider/model", s.Name, p.Describe)
			}
		}
	}
	return nil
}
