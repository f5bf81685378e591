package provider_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/protocol/gemini"
	"github.com/ferrule/ferrule/provider"
)

func speaksGemini(c *provider.Config) { c.Protocol, c.Client = gemini.Name, gemini.Client{} }

// TestListInPages: a list in pages is read to its end, but not for ever; the key
// goes into its header and nowhere else.
func TestListInPages(t *testing.T) {
	pages := map[string]string{
		"": `{"models":[
			{"name":"models/gemini-3-pro","inputTokenLimit":1048576,"outputTokenLimit":65536,"supportedGenerationMethods":["generateContent","countTokens"]},
			{"name":"models/embedding-001","inputTokenLimit":2048,"supportedGenerationMethods":["embedContent"]}],"nextPageToken":"a b&c"}`,
		"a b&c": `{"models":[{"name":"models/gemini-3-flash","supportedGenerationMethods":["generateContent"]},{"name":"tunedModels/mine"}],"nextPageToken":"end"}`,
		"end":   `{"models":[]}`,
	}
	asked := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.Header.Get("X-Goog-Api-Key") != key || r.Header["Authorization"] != nil || strings.Contains(r.URL.String(), key) {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		if r.URL.Path != "/v1beta/models" || r.URL.Query().Get("pageSize") != "1000" {
			t.Errorf("%s", r.URL)
		}
		_, _ = io.WriteString(w, pages[r.URL.Query().Get("pageToken")])
	})
	got, err := open(t, s.URL+"/v1beta", speaksGemini).Models(t.Context())
	want := []provider.Model{{ID: "gemini-3-pro"}, {ID: "gemini-3-flash"}, {ID: "tunedModels/mine"}}
	if d := cmp.Diff(want, named(t, got)); d != "" || err != nil || asked != 3 {
		t.Errorf("%d pages, %v (-want +got)\n%s", asked, err, d)
	}

	asked = 0
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		fmt.Fprintf(w, `{"models":[{"name":"models/m%d"}],"nextPageToken":"more"}`, asked)
	})
	if got, err := open(t, s.URL, speaksGemini).Models(t.Context()); err != nil || len(got) != 20 || asked != 20 {
		t.Errorf("a list without end: %d models of %d pages, %v", len(got), asked, err)
	}

	asked = 0
	s = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked > 1 {
			http.Error(w, `{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}`, http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"models":[{"name":"models/m"}],"nextPageToken":"more"}`)
	})
	var f *chat.Fault
	if _, err := open(t, s.URL, speaksGemini).Models(t.Context()); !errors.As(err, &f) || f.Code != "PERMISSION_DENIED" {
		t.Errorf("a page that is refused: %v", err)
	}
}

// TestGeminiKeyIsHidden: a key that an upstream repeats in an error stays behind.
func TestGeminiKeyIsHidden(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"code":400,"message":"API key `+key+` not valid","status":"INVALID_ARGUMENT"}}`, http.StatusBadRequest)
	})
	_, _, err := read(t.Context(), open(t, s.URL, speaksGemini), request(true))
	var f *chat.Fault
	if !errors.As(err, &f) || f.Code != "INVALID_ARGUMENT" || strings.Contains(f.Text+string(f.Wire.Body), key) {
		t.Errorf("%+v", f)
	}
}
