package provider_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
)

func TestNew(t *testing.T) {
	for _, c := range []struct{ url, key, says string }{
		{"", "", "no url is set"},
		{"127.0.0.1:11434/v1", "", "url"},
		{"ftp://host/v1", "", "must begin with http:// or https://"},
		{"http://", "", "no host"},
		{"http://:80/v1", "", "no host"},
		{"http://user:hunter2@host/v1", "", "put the credential into the provider's key"},
		{"http://user:hunter2@ho st/v1", "", "can't be read"},
		{"http://host/v1?api_key=hunter2", "", "query"},
		{"http://host/v1#hunter2", "", "fragment"},
		{"http://host/v1", "hunter2\n", "line break or non-ASCII character at byte 7"},
		{"http://host/v1", "", ""},
		{"https://host:8443/a/b/", "hunter2", ""},
		{"http://[::1]:80", "", ""},
	} {
		_, err := provider.New(provider.Config{Name: "x", URL: c.url, Key: provider.Secret(c.key), Client: openai.Client{}})
		if c.says == "" {
			if err != nil {
				t.Errorf("%q: %v", c.url, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want an error that says %q and no secret", c.url, err, c.says)
		}
	}
	if _, err := provider.New(provider.Config{Name: "x", URL: "http://host"}); err == nil {
		t.Error("a provider without a protocol client")
	}
}

func TestSecret(t *testing.T) {
	s := provider.Secret(key)
	want := "[REDACTED LENGTH=25 HASH="
	if got := s.String(); !strings.HasPrefix(got, want) || len(got) != len(want)+9 {
		t.Errorf("%s", got)
	}
	if s.Reveal() != key {
		t.Error("Reveal hides it too")
	}
	config := provider.Config{Name: "x", URL: "http://host/v1", Key: s, Client: openai.Client{}, Protocol: openai.Name}
	p, err := provider.New(config)
	if err != nil {
		t.Fatal(err)
	}
	values := []any{s, &s, []provider.Secret{s}, map[string]provider.Secret{"k": s}, config, &config, p, *p, struct{ P *provider.Provider }{p}}
	var out bytes.Buffer
	for _, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10v", "%!"} {
			_, _ = fmt.Fprintf(&out, verb+"\n", v)
		}
		_, _ = fmt.Fprintln(&out, v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
		b, _ := json.Marshal(v)
		out.Write(b)
		b, _ = xml.Marshal(v)
		out.Write(b)
	}
	for _, told := range []string{key, fmt.Sprintf("%x", key), fmt.Sprintf("%X", key), key[:10]} {
		if i := strings.Index(out.String(), told); i >= 0 {
			t.Errorf("the secret shows: …%.80s", out.String()[max(0, i-40):])
		}
	}
	if !strings.Contains(out.String(), want) {
		t.Error("what stands in its place is missing")
	}
	if b, err := json.Marshal(map[string]any{"k": s}); err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%s, %v", b, err)
	}
	if got := fmt.Sprintf("%+v", p); got != "provider x at http://host/v1" {
		t.Errorf("%s", got)
	}
}
