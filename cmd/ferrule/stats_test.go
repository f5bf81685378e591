package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// stats runs ferrule stats against a gateway that answers so.
func stats(t *testing.T, answer http.HandlerFunc, args ...string) (code int, out, errs string) {
	t.Helper()
	s := httptest.NewServer(answer)
	defer s.Close()
	var o, e bytes.Buffer
	p := &program{ctx: t.Context(), stdout: &o, stderr: &e, lookup: func(name string) (string, bool) { return "secret of " + name, true }}
	code = p.run(append([]string{"stats", "--url", s.URL}, args...))
	return code, o.String(), e.String()
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) }
}

var counted = strings.ReplaceAll(`# TYPE ferrule_tool_calls_total counter
ferrule_tool_calls_total{mode="native",model="b",outcome="clean",provider="p"} 6
ferrule_tool_calls_total{mode="native",model="b",outcome="repaired",provider="p"} 1
ferrule_tool_calls_total{mode="native",model="b",outcome="retried",provider="p"} 1
ferrule_tool_calls_total{mode="native",model="b",outcome="failed",provider="p"} 1
ferrule_tool_calls_total{mode="native",model="b",outcome="passed",provider="p"} 1
ferrule_tool_calls_total{mode="native",model="b",outcome="quoted",provider="p"} 90
ferrule_tool_calls_total{mode="emulated",model="a\u001b[2J\nx",outcome="quoted",provider="p"} 1
# TYPE ferrule_repairs_total counter
ferrule_repairs_total{mode="native",model="b",provider="p",repair="rare"} 1
ferrule_repairs_total{mode="native",model="b",provider="p",repair="often"} 1.2e+06
ferrule_repairs_total{mode="native",model="b",provider="p",repair="also_rare"} 1
# TYPE go_goroutines gauge
go_goroutines 9
`, `\u001b`, "\x1b")

func TestStatsTable(t *testing.T) {
	code, out, errs := stats(t, text(counted))
	want := `Provider  Model         Mode      Calls  Clean  Repaired  Retried  Failed  Passed  Quoted  Malformed
p         a\x1b[2J\nx  emulated  0      0      0         0        0       0       1       -
p         b             native    10     6      1         1        1       1       90      40.0 %
all                               10     6      1         1        1       1       91      40.0 %

Repair     Count
often      1200000
also_rare  1
rare       1
`
	if code != exitGood || errs != "" || trimmed(out) != trimmed(want) {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
}

// trimmed takes out how wide the columns are.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

func TestStatsJSON(t *testing.T) {
	code, out, errs := stats(t, text(counted), "--json")
	var got struct {
		Models []struct {
			Model string   `json:"model"`
			Calls int      `json:"calls"`
			Rate  *float64 `json:"malformed_rate"`
		} `json:"models"`
		Repairs []struct {
			Repair string `json:"repair"`
			Count  int    `json:"count"`
		} `json:"repairs"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != exitGood {
		t.Fatal(code, err, errs, out)
	}
	if m := got.Models; len(m) != 2 || m[0].Rate != nil || m[1].Calls != 10 || m[1].Rate == nil || *m[1].Rate != 0.4 {
		t.Errorf("%s", out)
	}
	if r := got.Repairs; len(r) != 3 || r[0].Repair != "often" || r[0].Count != 1200000 || r[1].Repair != "also_rare" {
		t.Errorf("%s", out)
	}
}

// TestStatsSendsTheKeyOnce: to the gateway that was named, as a client would.
func TestStatsSendsTheKeyOnce(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	code, _, errs := stats(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" || r.Header.Get("Authorization") != "Bearer secret of MINE" {
			t.Errorf("%s with %q", r.URL, r.Header.Get("Authorization"))
		}
		http.Redirect(w, r, other.URL, http.StatusFound)
	}, "--key-env", "MINE")
	if code != exitFail || elsewhere > 0 || !strings.Contains(errs, "answers with status 302") {
		t.Errorf("%d, %d requests elsewhere: %s", code, elsewhere, errs)
	}
	if strings.Contains(errs, "secret of") {
		t.Errorf("the key is shown: %s", errs)
	}
}

func TestStatsRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"a page":    {text("<!doctype html>\n<title>hi</title>\n"), "are no metrics"},
		"cut":       {text(strings.TrimSuffix(counted, "9\n")), "are no metrics"},
		"no number": {text("ferrule_repairs_total{repair=\"a\"} many\n"), "are no metrics"},
		"too long":  {text(strings.Repeat("# a comment that says nothing\n", mostMetrics/20)), "longer than"},
		"not found": {http.NotFound, "answers with status 404: is it a Ferrule gateway?"},
		"hostile": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, `{"error":{"message":"no\u001b[2J"}}`)
		}, `status 403 (no\x1b[2J)`},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, "x")
		}, "reading the metrics"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "no gateway answers at http://127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := stats(t, c.answer)
			if code != exitFail || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("%d %q: %s", code, out, errs)
			}
		})
	}
}

// TestStatsOddCounts: what no counter can hold doesn't spoil the rest.
func TestStatsOddCounts(t *testing.T) {
	for _, odd := range []string{"NaN", "-1", "+Inf", "1e300"} {
		code, out, errs := stats(t, text(strings.Replace(counted, `repair="rare"} 1`, `repair="rare"} `+odd, 1)))
		if code != exitGood || !strings.Contains(trimmed(out), "\noften 1200000\nalso_rare 1\nrare 0\n") {
			t.Errorf("%s: %d %s%s", odd, code, out, errs)
		}
	}
}

// FuzzCount: whatever a gateway answers, it is counted or refused.
func FuzzCount(f *testing.F) {
	f.Add([]byte(counted))
	f.Add([]byte("ferrule_tool_calls_total 1\n"))
	f.Add([]byte("# TYPE ferrule_repairs_total histogram\nferrule_repairs_total_bucket{le=\"1\"} 1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := count(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, m := range got.Models {
			if m.Rate != nil && (*m.Rate < 0 || *m.Rate > 1) {
				t.Errorf("a rate of %v", *m.Rate)
			}
		}
		if err := got.print(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
