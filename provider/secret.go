package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
)

// Secret is a credential. However it is printed, logged or encoded, it shows
// its length and a short hash; only Reveal gives it away. fmt can't call the
// methods of unexported struct fields, so keep it in exported ones or behind a
// pointer.
type Secret string

// Reveal returns the credential itself.
func (s Secret) Reveal() string { return string(s) }

// String is what stands in place of the secret: [REDACTED LENGTH=n HASH=xxxxxxxx].
func (s Secret) String() string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("[REDACTED LENGTH=%d HASH=%s]", len(s), hex.EncodeToString(sum[:4]))
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// Format hides the secret from every verb, the wrong ones too: fmt prints the
// operand of a bad verb raw.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from text encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON hides the secret from encoding/json.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }
