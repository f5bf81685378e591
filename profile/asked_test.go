package profile_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

func TestAsked(t *testing.T) {
	for _, c := range []struct {
		p      profile.Profile
		model  string
		names  []string
		family string
	}{
		{profile.Profile{}, "Qwen/Qwen3-Coder-30B-A3B-Instruct:free", []string{"ferrule", "qwen-coder", "hermes"}, "qwen-coder"},
		{profile.Profile{Server: "ollama"}, "qwen3-coder:30b", []string{"ferrule", "qwen-coder", "hermes"}, "qwen-coder"},
		{profile.Profile{Server: "vllm"}, "Qwen/Qwen3-8B", []string{"hermes", "hermes"}, "hermes"},
		{profile.Profile{Server: "vllm"}, "mistralai/Devstral-Small-2507", []string{"mistral", "hermes"}, "mistral"},
		{profile.Profile{Server: "llamacpp"}, `C:\models\Devstral-Small-2507-Q4.gguf`, []string{"hermes"}, "mistral"},
		{profile.Profile{Server: "llamacpp"}, "GLM-4.5-Air", []string{"glm", "hermes"}, "glm"},
		{profile.Profile{Server: "vllm", Syntax: "envelope"}, "kimi-k2", []string{"envelope", "kimi", "hermes"}, "kimi"},
		{profile.Profile{Server: "vllm", Syntax: profile.AutoSyntax}, "kimi-k2", []string{"kimi", "hermes"}, "kimi"},
		{profile.Profile{Server: "vllm"}, "hermes-3-llama-3.1-8b", []string{"hermes", "hermes"}, "hermes"},
		{profile.Profile{Server: "vllm"}, "Meta-Llama-3.1-8B-Instruct", []string{"llama", "hermes"}, "llama"},
		{profile.Profile{Server: "vllm"}, "deepseek-r1-distill-qwen-7b", []string{"hermes"}, ""},
		{profile.Profile{Server: "vllm"}, "deepseek-v3.1", []string{"deepseek", "hermes"}, "deepseek"},
		{profile.Profile{Server: "vllm"}, "deepseek-v3.2-exp", []string{"deepseek-dsml", "hermes"}, "deepseek-dsml"},
		{profile.Profile{Server: "vllm"}, "", []string{"hermes"}, ""},
		{profile.Profile{Server: "vllm"}, "org/", []string{"hermes"}, ""},
		{profile.Profile{Server: "vllm", Origin: profile.Proof}, "kimi-k2", nil, "kimi"},
		{profile.Profile{System: profile.Dropped}, "kimi-k2", nil, "kimi"},
		{profile.Profile{System: profile.Dropped, Syntax: "hermes"}, "kimi-k2", []string{"hermes"}, "kimi"},
	} {
		names, family := c.p.Asked(c.model)
		if d := cmp.Diff(c.names, names); d != "" || family != c.family {
			t.Errorf("%+v, %s: family %q, (-want +got):\n%s", c.p, c.model, family, d)
		}
	}
}

// TestNamesAreKnown: what the tables name is there to be read.
func TestNamesAreKnown(t *testing.T) {
	known := words.Known()
	for _, model := range []string{
		"qwen3", "qwen3-coder", "llama-3", "llama-4", "xlam", "mistral-7b", "deepseek-v3", "deepseek-v4", "kimi-k2", "glm-4.5", "laguna", "gemma-4",
		"minimax-m1", "minimax-m2", "minimax-m3", "gpt-oss", "granite-3", "command-r", "phi-4-mini", "firefunction", "internlm2", "apertus", "gigachat3",
		"nvidia-nemotron-nano-9b-v2", "step-3", "seed-oss", "lfm2", "olmo-3", "hunyuan-a13b", "jamba", "apriel", "solar-open", "minicpm5",
	} {
		names, family := profile.Profile{Server: "vllm"}.Asked(model)
		if family == "" {
			t.Errorf("%s has no family", model)
		}
		for _, n := range names {
			if !slices.Contains(known, n) {
				t.Errorf("%s: there is no %s", model, n)
			}
		}
		if syntax, _ := words.Resolve(names...); syntax == "" {
			t.Errorf("%s: none of %v can be asked for", model, names)
		}
	}
}

func TestServers(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range profile.ServerNames() {
		s := profile.ServerNamed(n)
		if s.Name != n || seen[n] {
			t.Errorf("%s is %+v", n, s)
		}
		seen[n] = true
		if s.Host != "" && profile.ServerAt(s.Host+":443") != n {
			t.Errorf("%s isn't found at %s", n, s.Host)
		}
	}
	for _, host := range []string{"", "127.0.0.1:11434", "api.openai.com.example", "example.com"} {
		if n := profile.ServerAt(host); n != "" {
			t.Errorf("%s is %s", host, n)
		}
	}
	if s := profile.ServerNamed("nobody"); s.Syntax == "" || len(s.Forms) > 0 || len(s.Words) > 0 {
		t.Errorf("one that isn't known: %+v", s)
	}
}

func TestLearnConstrain(t *testing.T) {
	facts := []profile.Fact{{Field: "constrain", Value: "never"}}
	if p := (profile.Profile{}).Learn(facts); p.Constrain != profile.ConstrainNever {
		t.Errorf("%+v", p)
	}
	if p := (profile.Profile{Constrain: profile.ConstrainForced}).Learn(facts); p.Constrain != profile.ConstrainForced {
		t.Errorf("what the configuration says was overruled: %+v", p)
	}
}
