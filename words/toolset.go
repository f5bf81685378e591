package words

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sort"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// Toolset is the digest of a list of tools: 12 hex digits over names,
// descriptions and schemas, whatever their order and spelling. It tells lists
// apart; it proves nothing.
func Toolset(tools []chat.Tool) string {
	entries := make([]string, 0, len(tools))
	for _, t := range tools {
		schema, err := rawjson.Canonical(t.Schema)
		if err != nil {
			schema = t.Schema
		}
		entries = append(entries, string(slices.Concat(sized(t.Name), sized(t.Description), sized(string(schema)))))
	}
	sort.Strings(entries)
	h := sha256.New()
	for _, e := range entries {
		h.Write([]byte(e))
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// sized puts the length of s before it, so that joined values can't run into each other.
func sized(s string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(len(s))), s...)
}
