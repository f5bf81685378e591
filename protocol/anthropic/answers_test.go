package anthropic_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestAnswers: what an answer says, whether it comes as a stream or whole: where
// a case has both, both say the same.
func TestAnswers(t *testing.T) {
	each(t, "answers", func(t *testing.T, in []txtar.File) string {
		var got []string
		for _, f := range in {
			contentType := map[string]string{"stream": "text/event-stream; charset=utf-8", "whole": "application/json"}[f.Name]
			if contentType == "" {
				t.Fatalf("%s is neither a stream nor whole", f.Name)
			}
			h := hear(t, bytes.NewReader(f.Data), contentType)
			got = append(got, h.String())
			if f.Name == "whole" && len(h.frames) != 1 {
				t.Errorf("a whole reply is %d frames", len(h.frames))
			}
		}
		if len(got) == 2 {
			if d := cmp.Diff(got[0], got[1]); d != "" {
				t.Errorf("streamed and whole differ (-streamed +whole)\n%s", d)
			}
		}
		return strings.TrimSuffix(got[0], "\n") + "\n"
	})
}
