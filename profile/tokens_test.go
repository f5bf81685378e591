package profile_test

import (
	"slices"
	"testing"

	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/tokens"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		said, model, want string
	}{
		{"", "qwen3:8b", "qwen"},
		{"", "Qwen/Qwen2.5-7B-Instruct", "qwen"},
		{"", "meta-llama/Llama-3.3-70B-Instruct", "llama3"},
		{"", "llama2:7b", "llama2"},
		{"", "deepseek-r1-distill-qwen-7b", "qwen"},
		{"", "deepseek-v3.1", "deepseek"},
		{"", "mistral-small", "mistral"},
		{"", "mistral-7b-instruct", "llama2"},
		{"", "gpt-4o-mini", "o200k"},
		{"", "gpt-4", "cl100k"},
		{"", "gpt-4-turbo", "cl100k"},
		{"", "gpt-4.1", "o200k"},
		{"", "gpt-oss-20b", "o200k"},
		{"", "gemma3:4b", "gemma"},
		{"", "some-model", ""},
		{"gemma", "qwen3:8b", "gemma"},
	} {
		got := profile.Profile{Estimator: c.said}.Tokens(c.model)
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.said, c.model, got, c.want)
		}
		if got != "" && !slices.Contains(tokens.Names(), got) {
			t.Errorf("there is no estimator %q", got)
		}
	}
}
