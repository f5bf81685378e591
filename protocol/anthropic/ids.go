package anthropic

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"io"
	"strings"
)

const (
	idPrefix = "toolu_"
	idChars  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	maxID    = 64 // what the strictest host of the protocol takes
	ownID    = 24 // characters behind the prefix of one that is made here
)

var base = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// idFor returns a call's id in a form that the provider takes: the id itself,
// else one that is made of it and of nothing else, so that a call and its result
// agree, on every turn.
func idFor(id string) string {
	if id != "" && len(id) <= maxID && strings.Trim(id, idChars) == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return idPrefix + base.EncodeToString(sum[:])[:ownID]
}

// mint makes an id for a call that came without one.
func mint(src io.Reader) string {
	if src == nil {
		src = rand.Reader
	}
	var b [ownID * 5 / 8]byte
	if _, err := io.ReadFull(src, b[:]); err != nil {
		_, _ = rand.Read(b[:]) // never fails
	}
	return idPrefix + base.EncodeToString(b[:])
}
