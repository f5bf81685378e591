package config

import (
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (r *reader) string(dst *string) func(value) error {
	return func(v value) (err error) {
		*dst, err = r.text(v)
		return err
	}
}

func (r *reader) credential(dst *Secret) func(value) error {
	return func(v value) (err error) {
		*dst, err = r.secret(v)
		return err
	}
}

func (r *reader) oneOf(dst *string, names []string) func(value) error { return named(r, dst, names) }

// named reads one of a few words.
func named[T ~string](r *reader, dst *T, words []T) func(value) error {
	return func(v value) error {
		s, err := r.text(v)
		if err != nil {
			return err
		}
		if slices.Contains(words, T(s)) {
			*dst = T(s)
			return nil
		}
		names := make([]string, len(words))
		for i, w := range words {
			names[i] = string(w)
		}
		return r.fault(v, "%q isn't known%s", s, meant(s, names))
	}
}

func (r *reader) url(dst *string) func(value) error {
	return func(v value) error {
		s, err := r.text(v)
		if err != nil {
			return err
		}
		u, err := url.Parse(s)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return r.fault(v, "a URL that begins with http:// or https:// is wanted")
		}
		if u.User != nil {
			return r.fault(v, "a credential doesn't belong into the URL: use key")
		}
		*dst = s
		return nil
	}
}

func (r *reader) number(v value, set func(int64)) error {
	s, err := r.text(v)
	if err != nil {
		return err
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if err != nil || n <= 0 || n > 1<<40 {
		return r.fault(v, "a whole number above 0 is wanted, not %q", s)
	}
	set(n)
	return nil
}

func (r *reader) bool(v value, dst *bool) error {
	s, err := r.text(v)
	if err != nil {
		return err
	}
	if s != "true" && s != "false" {
		return r.fault(v, "true or false is wanted, not %q", s)
	}
	*dst = s == "true"
	return nil
}

func (r *reader) size(dst *int64) func(value) error {
	return func(v value) error { return r.number(v, func(n int64) { *dst = n }) }
}

func (r *reader) duration(dst *time.Duration) func(value) error {
	return func(v value) error {
		s, err := r.text(v)
		if err != nil {
			return err
		}
		if *dst, err = time.ParseDuration(s); err != nil || *dst <= 0 {
			return r.fault(v, "a time such as 30s or 5m is wanted, not %q", s)
		}
		return nil
	}
}

func (r *reader) level(dst *slog.Level) func(value) error {
	return func(v value) error {
		var s string
		err := r.oneOf(&s, []string{"debug", "info", "warn", "error"})(v)
		if err == nil {
			err = dst.UnmarshalText([]byte(s))
		}
		return err
	}
}
