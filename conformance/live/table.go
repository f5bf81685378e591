package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Table prints rows as Markdown.
func Table(rows []Row) string {
	var b strings.Builder
	b.WriteString("| how | well-formed at first | right calls | wrong calls | no call | requests | time |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s%s | %d | %s |\n", r.Name,
			share(r.First, r.Tasks), share(r.Verdicts[Right], r.Tasks), share(r.Verdicts[Wrong], r.Tasks),
			share(r.Verdicts[None], r.Tasks), r.errors(), r.Requests, r.Took.Round(time.Second))
	}
	return b.String()
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", n, of)
}

func (r Row) errors() string {
	if len(r.Errors) == 0 {
		return ""
	}
	var list []string
	for _, code := range slices.Sorted(maps.Keys(r.Errors)) {
		list = append(list, fmt.Sprintf("%d %s", r.Errors[code], code))
	}
	return " (" + strings.Join(list, ", ") + ")"
}
