package provider

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ferrule/ferrule/rawjson"
)

// Found is a provider that Discover came upon.
type Found struct {
	Name     string
	URL      string
	Protocol string  // what it speaks; "": OpenAI's Chat Completions
	KeyEnv   string  // the environment variable that holds its key; "": a local server
	Models   []Model // of a local server; a remote one isn't asked
	Server   string  // what a local server is by its own answer; "": it doesn't say
}

// Probe says how Discover looks for local servers. Its zero value is right
// for the program.
type Probe struct {
	Ports     map[string]int    // by name; nil: the servers' usual ones. A name that isn't in it isn't looked for
	Timeout   time.Duration     // for each server; 0: 500 ms
	Transport http.RoundTripper // nil: one of its own
}

// remotes are the services known by the variable that holds their key.
var remotes = []struct{ env, name, url, protocol string }{
	{"OPENAI_API_KEY", "openai", "https://api.openai.com/v1", ""},
	{"ANTHROPIC_API_KEY", "anthropic", "https://api.anthropic.com/v1", "anthropic"},
	{"OPENROUTER_API_KEY", "openrouter", "https://openrouter.ai/api/v1", ""},
	{"GROQ_API_KEY", "groq", "https://api.groq.com/openai/v1", ""},
	{"MISTRAL_API_KEY", "mistral", "https://api.mistral.ai/v1", ""},
	{"DEEPSEEK_API_KEY", "deepseek", "https://api.deepseek.com/v1", ""},
	{"TOGETHER_API_KEY", "together", "https://api.together.xyz/v1", ""},
	{"FIREWORKS_API_KEY", "fireworks", "https://api.fireworks.ai/inference/v1", ""},
	{"CEREBRAS_API_KEY", "cerebras", "https://api.cerebras.ai/v1", ""},
	{"XAI_API_KEY", "xai", "https://api.x.ai/v1", ""},
	{"GEMINI_API_KEY", "gemini", "https://generativelanguage.googleapis.com/v1beta/openai", ""},
	{"NVIDIA_API_KEY", "nvidia", "https://integrate.api.nvidia.com/v1", ""},
}

// locals are the servers that people run on their own machine, by their usual port.
var locals = []struct {
	name string
	port int
}{
	{"ollama", 11434},
	{"llamacpp", 8080},
	{"lmstudio", 1234},
	{"vllm", 8000},
}

// Discover returns the providers whose key stands in the environment and the
// servers that answer on loopback, each in the order of its table. Nothing
// beyond loopback is contacted. env is os.LookupEnv.
func Discover(ctx context.Context, env func(string) (string, bool), probe Probe) []Found {
	var found []Found
	for _, r := range remotes {
		if key, ok := env(r.env); ok && key != "" {
			found = append(found, Found{Name: r.name, URL: r.url, Protocol: r.protocol, KeyEnv: r.env})
		}
	}
	if probe.Timeout <= 0 {
		probe.Timeout = 500 * time.Millisecond
	}
	if probe.Transport == nil {
		t := newTransport(Bounds{Connect: probe.Timeout}.withDefaults())
		t.Proxy = nil // loopback needs none
		defer t.CloseIdleConnections()
		probe.Transport = t
	}
	servers := make([]*Found, len(locals))
	var wg sync.WaitGroup
	for i, l := range locals {
		port := l.port
		if probe.Ports != nil {
			port = probe.Ports[l.name]
		}
		if port == 0 {
			continue
		}
		wg.Go(func() { servers[i] = probe.ask(ctx, l.name, port) })
	}
	wg.Wait()
	for _, s := range servers {
		if s != nil {
			found = append(found, *s)
		}
	}
	return found
}

// ask returns the server at a loopback port, nil when none lists its models there.
func (p Probe) ask(ctx context.Context, name string, port int) *Found {
	base := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/v1"
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/models", nil)
	if err != nil {
		return nil
	}
	r.Header["Accept"] = jsonType
	resp, err := p.Transport.RoundTrip(r)
	if err != nil {
		return nil
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, megabyte))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	ms, ok := readModels(raw, nil)
	if !ok {
		return nil
	}
	return &Found{Name: name, URL: base, Models: ms, Server: owners[ownerOf(raw)]}
}

// owners are whom servers name as the owner of their models, where no other
// server does.
var owners = map[string]string{
	"library":            "ollama",
	"llamacpp":           "llamacpp",
	"vllm":               "vllm",
	"sglang":             "sglang",
	"organization_owner": "lmstudio",
}

// ownerOf is the owner of the first model in a list that was read.
func ownerOf(raw []byte) (owner string) {
	list, _ := rawjson.Get(raw, "data")
	_ = rawjson.Elements(list, func(m []byte) bool {
		v, _ := rawjson.Get(m, "owned_by")
		owner, _ = rawjson.String(v)
		return false
	})
	return owner
}
