package profile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/profile"
)

// TestOf: what the configuration leaves open the table says, and nothing else;
// a model that isn't in it gets what holds for any.
func TestOf(t *testing.T) {
	yes := true
	own := profile.Profile{
		History: "mistral", Context: 4096, Descriptions: profile.DescribeTerse, Arguments: profile.ArgumentsStreamed,
		Tags: []string{"<a>", "</a>"}, Examples: &yes, Repairs: map[string]bool{"wrap_in_list": false},
	}
	for _, c := range []struct {
		model string
		p     profile.Profile
		want  profile.Profile
	}{
		{"nobody-knows-this", profile.Profile{}, profile.Profile{}},
		{"nobody-knows-this", own, own},
		{"org/Kimi-K2-Instruct", profile.Profile{}, profile.Profile{History: "ids-functions"}},
		{"kimi-k2", own, own},
		{"exaone-deep-7.8b", profile.Profile{}, profile.Profile{Tags: []string{"<thought>", "</thought>"}}},
		{"exaone-deep-7.8b", own, own},
		{"claude-opus-4", profile.Profile{}, profile.Profile{Context: 200_000}},
		{"gpt-4o-mini", profile.Profile{Context: 1}, profile.Profile{Context: 1}},
	} {
		if d := cmp.Diff(c.want, c.p.Of(c.model)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.model, d)
		}
	}
}

// TestRefused: once a schema is refused, the server's dialect is tried, then
// the model's.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ server, model, want string }{
		{"", "google/gemini-2.5-pro", "gemini"},
		{"", "kimi-k2", "moonshot"},
		{"llamacpp", "kimi-k2", "llamacpp"},
		{"", "gpt-oss-20b", "minimal"},
		{"", "nobody-knows-this", ""},
	} {
		if got := (profile.Profile{Server: c.server}).Refused(c.model); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.model, c.server, got, c.want)
		}
	}
}
