package schemas

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/schema"
)

// remote is a document that the suite serves under a URL.
type remote struct {
	url string
	doc map[string]json.RawMessage
}

// remotes reads the documents that a draft's tests may refer to: those that the
// suite serves, and the drafts' own schemas.
func remotes(t *testing.T, dir, draft string) []remote {
	t.Helper()
	served := readRemotes(t, filepath.Join(dir, "remotes"), "http://localhost:1234/")
	served = slices.DeleteFunc(served, func(r remote) bool {
		rest, _ := strings.CutPrefix(r.url, "http://localhost:1234/")
		return strings.HasPrefix(rest, "draft") && !strings.HasPrefix(rest, draft+"/")
	})
	own := filepath.Join(moduleDir(t, "github.com/santhosh-tekuri/jsonschema/v6"), "metaschemas")
	scheme := "http"
	if strings.HasPrefix(draft, "draft20") {
		scheme = "https"
	}
	return append(served, readRemotes(t, own, scheme+"://json-schema.org/")...)
}

func readRemotes(t *testing.T, root, base string) []remote {
	t.Helper()
	var out []remote
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(root, path))
		r := remote{url: base + path}
		if err == nil && json.Unmarshal(b, &r.doc) == nil {
			out = append(out, r)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bundle puts a schema and the documents that it may mean into one document.
// Each keeps the URL that it had.
func bundle(t *testing.T, src []byte, draft string, served []remote) []byte {
	t.Helper()
	id, defs := "$id", "definitions"
	switch draft {
	case "draft4":
		id = "id"
	case "draft2019-09", "draft2020-12":
		defs = "$defs"
	}
	text, docs := string(marshal(t, json.RawMessage(src))), map[string]json.RawMessage{}
	for grown := true; grown; {
		grown = false
		for _, r := range served {
			if docs[r.url] != nil || !mentions(text, r) {
				continue
			}
			doc := maps.Clone(r.doc)
			if own := doc[id]; own != nil && strings.Trim(string(own), `"#`) != r.url {
				// It calls itself otherwise: the URL it is served under only leads to it.
				docs[r.url+" itself"] = marshal(t, doc)
				doc = map[string]json.RawMessage{"allOf": marshal(t, []any{map[string]json.RawMessage{"$ref": own}})}
			}
			doc[id] = marshal(t, r.url)
			docs[r.url] = marshal(t, doc)
			text += string(marshal(t, r.doc))
			grown = true
		}
	}
	return marshal(t, map[string]any{"allOf": []any{json.RawMessage(src)}, defs: docs})
}

// mentions reports whether a text may refer to a document: by the end of its
// URL, as a reference relative to its own place has it.
func mentions(text string, r remote) bool {
	name := r.url[strings.LastIndexByte(r.url, '/')+1:]
	if strings.HasPrefix(r.url, "http://localhost:1234/") {
		return strings.Contains(text, name) || strings.Contains(text, strings.TrimSuffix(name, ".json")+`"`)
	}
	return strings.Contains(text, `"$ref":"`+r.url) || strings.Contains(text, `"$ref":"meta/`) && strings.Contains(r.url, "/meta/")
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBundled runs the tests that leave the document once more, with what they
// refer to brought into it: what is refused is the way out and nothing else.
func TestBundled(t *testing.T) {
	dir, known := suiteDir(t), exceptions(t)
	for _, d := range drafts {
		t.Run(d.folder, func(t *testing.T) {
			served, passed := remotes(t, dir, d.folder), 0
			eachTest(t, dir, d.folder, func(g group) func(name string, data []byte, valid bool) {
				s, err := schema.Compile(explicit(t, bundle(t, g.Schema, d.folder, served), d.uri))
				return func(name string, data []byte, valid bool) {
					if known[name] != "outside" {
						return
					}
					if wrong := verdict(s, err, data, valid); wrong != "" {
						t.Errorf("%s\n%s", name, wrong)
						return
					}
					passed++
				}
			})
			t.Logf("%d tests", passed)
		})
	}
}
