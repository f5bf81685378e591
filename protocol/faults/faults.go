// Package faults words what upstreams say of their errors, whatever protocol
// they speak: bounded, on one line where it is quoted, a page of HTML by its title.
package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxText    = 4 << 10 // bytes of what an upstream says of its error
	maxExcerpt = 120     // characters that are quoted of an answer that can't be read
)

// Bound cuts what an upstream says to 4 KB, between characters.
func Bound(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= maxText {
		return s
	}
	n := maxText - len("…")
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Excerpt returns the beginning of b on one line, quoted: at most 120 characters.
func Excerpt(b []byte) string {
	b = b[:min(len(b), maxExcerpt*utf8.UTFMax)]
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "\ufffd")), " ")
	if runes := []rune(text); len(runes) > maxExcerpt {
		text = string(runes[:maxExcerpt]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// ContentName names a content type in a sentence.
func ContentName(contentType string) string {
	if contentType == "" {
		return "an unnamed content type"
	}
	return Excerpt([]byte(contentType))
}

// Unsaid words an error whose body doesn't say what is wrong.
func Unsaid(status int, body []byte) string {
	return strings.TrimSpace(fmt.Sprintf("The upstream answered %d %s", status, http.StatusText(status))) + about(body)
}

func about(b []byte) string {
	b = bytes.TrimSpace(b)
	switch {
	case len(b) == 0:
		return " with an empty body."
	case b[0] == '<':
		if t := title(b); t != "" {
			return fmt.Sprintf(" with a page of HTML titled %q.", t)
		}
		return " with a page of HTML."
	}
	return " without saying why."
}

// title returns what stands in a page's title, at most maxExcerpt characters.
func title(page []byte) string {
	page = page[:min(len(page), maxText)]
	from := -1
	for _, tag := range []string{"<title>", "<TITLE>", "<Title>"} {
		if from = bytes.Index(page, []byte(tag)); from >= 0 {
			from += len(tag)
			break
		}
	}
	if from < 0 {
		return ""
	}
	inner, _, _ := bytes.Cut(page[from:], []byte("<"))
	t := strings.Join(strings.Fields(strings.ToValidUTF8(string(inner), "\ufffd")), " ")
	if r := []rune(t); len(r) > maxExcerpt {
		t = string(r[:maxExcerpt])
	}
	return t
}

// Retryable reports whether a status says that the same request may work later.
func Retryable(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusConflict ||
		status == http.StatusTooManyRequests || status >= 500
}

// RetryAfter reads how long the upstream asks to be left alone; 0 where it
// doesn't say. A date is compared with the answer's own, else with the clock;
// nil: time.Now.
func RetryAfter(h map[string][]string, clock func() time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(Header(h, "Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	v := Header(h, "Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	since, err := http.ParseTime(Header(h, "Date"))
	switch {
	case err == nil:
	case clock != nil:
		since = clock()
	default:
		since = time.Now()
	}
	return max(0, at.Sub(since))
}

// Header returns the first value of a header, whatever its case.
func Header(h map[string][]string, name string) string {
	for k, v := range h {
		if len(v) > 0 && strings.EqualFold(k, name) {
			return strings.TrimSpace(v[0])
		}
	}
	return ""
}
