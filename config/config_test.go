package config_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ferrule/ferrule/config"
	"github.com/ferrule/ferrule/profile"
)

var update = flag.Bool("update", false, "rewrite the wanted parts of testdata")

// env is the world of the tests: nothing of the machine's shows in them.
func env() config.Env {
	vars := map[string]string{"KEY": "sk-secret-1", "EMPTY": "", "YAML": "x: [1, ${KEY}]", "PORT": "9000", "LONG": strings.Repeat("long", 8)}
	return config.Env{
		Lookup: func(n string) (string, bool) { v, ok := vars[n]; return v, ok },
		ReadFile: func(p string) ([]byte, error) {
			files := map[string]string{"/run/key": "sk-from-file\n", "/run/empty": "\n"}
			if v, ok := files[p]; ok {
				return []byte(v), nil
			}
			return nil, fs.ErrNotExist
		},
		Protocols: []string{"openai"},
		Syntaxes:  []string{"hermes", "envelope"},
		Repairs:   []string{"wrap_in_list", "coerce_number"},
		History: func(name string) error {
			if strings.Contains(name, "nonsense") {
				return errors.New("there is no rule nonsense")
			}
			return nil
		},
	}
}

// TestCases reads every testdata/*.txtar: each pair NAME.yaml, NAME.want is a
// case; want is the error or what was read, credentials spelt out.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(a.Files); i += 2 {
			in, want := &a.Files[i], &a.Files[i+1]
			name := strings.TrimSuffix(in.Name, ".yaml")
			t.Run(filepath.Base(file)+"/"+name, func(t *testing.T) {
				if want.Name != name+".want" {
					t.Fatalf("%s follows %s", want.Name, in.Name)
				}
				got := outcome(in.Data)
				if *update {
					want.Data = []byte(got)
				}
				if d := cmp.Diff(string(want.Data), got); d != "" {
					t.Error(d)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func outcome(data []byte) string {
	c, err := config.Parse(data, env())
	if err == nil {
		err = c.CheckListen()
	}
	if err != nil {
		var e *config.Error
		if !errors.As(err, &e) {
			return fmt.Sprintf("not an *Error: %T\n", err)
		}
		return err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "listen %s, log %v\n", c.Listen, c.Log)
	aliases, _ := json.Marshal(c.Aliases)
	fmt.Fprintf(&b, "aliases %s\n", aliases)
	for _, p := range c.Providers {
		fmt.Fprintf(&b, "provider %s: %s %s key %q %s\n", p.Name, p.Protocol, p.URL, string(p.Key), said(p.Profile))
		for _, name := range slices.Sorted(maps.Keys(p.Models)) {
			fmt.Fprintf(&b, "  model %s: %s\n", name, said(p.Models[name]))
		}
	}
	for _, k := range c.Keys {
		fmt.Fprintf(&b, "key %s %x\n", k.Name, k.Hash[:4])
	}
	for _, k := range c.FenceKeys {
		fmt.Fprintf(&b, "fence key %q from %s\n", string(k.Key), k.From.Format(time.RFC3339))
	}
	fmt.Fprintf(&b, "hosts %q, fence key %q, limits %+v\n", c.Hosts, string(c.FenceKey), c.Limits)
	return b.String()
}

// said is what a profile says, without what it leaves open.
func said(p profile.Profile) string {
	var v map[string]any
	b, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		return err.Error()
	}
	b, err = json.Marshal(withoutEmpty(v))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, m any) bool { return m == nil || m == "" || m == false || m == 0.0 })
		for k := range v {
			v[k] = withoutEmpty(v[k])
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return v
}

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	vars := map[string]string{}
	e := config.Env{Lookup: func(n string) (string, bool) { v, ok := vars[n]; return v, ok }}
	find := func(asked, want string) {
		t.Helper()
		if got, err := config.Find(asked, e); err != nil || got != want {
			t.Errorf("Find(%q) = %q, %v; want %q", asked, got, err, want)
		}
	}
	find("", "")
	if err := os.WriteFile("ferrule.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	find("", "ferrule.yaml")
	vars["FERRULE_CONFIG"] = "elsewhere.yaml"
	find("", "elsewhere.yaml")
	find("mine.yaml", "mine.yaml")
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, []byte("listen: 127.0.0.1:1\nhost: [a]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(path, config.Env{})
	if err == nil || !strings.HasPrefix(err.Error(), path+":2: unknown key \"host\": did you mean \"hosts\"?") {
		t.Errorf("got %v", err)
	}
	if _, err = config.Load(path+".not", config.Env{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestSecretIsNeverPrinted(t *testing.T) {
	c, err := config.Parse([]byte("fence_key: ${LONG}\nproviders: {a: {protocol: openai, url: 'http://h', key: sk-plain-2}}\n"), env())
	if err != nil {
		t.Fatal(err)
	}
	if string(c.FenceKey) != strings.Repeat("long", 8) || string(c.Providers[0].Key) != "sk-plain-2" {
		t.Fatal("the values themselves are lost")
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "c", c, "k", c.FenceKey)
	js, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	outs := []string{log.String(), string(js), fmt.Sprint(c)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		outs = append(outs, fmt.Sprintf(verb, *c), fmt.Sprintf(verb, c.FenceKey))
	}
	for _, out := range outs {
		for _, s := range []string{"longlong", "sk-plain-2", "6c6f6e67", "736b2d", "108 111 110"} {
			if strings.Contains(out, s) {
				t.Errorf("%q shows in %s", s, out)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			f.Add(x.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse(data, env())
		if (c == nil) == (err == nil) {
			t.Fatalf("both or neither: %v, %v", c, err)
		}
		var e *config.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("not an *Error: %T %v", err, err)
		}
	})
}
