package turn

import (
	"crypto/rand"
	"io"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// callIDs are the ids of the conversation's calls so far.
func (x *run) callIDs() map[string]bool {
	taken := map[string]bool{}
	for _, m := range x.q.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(chat.Call); ok {
				taken[c.ID] = true
			}
		}
	}
	return taken
}

// Ids that a model wrote are kept in this length, in bytes: some families go by
// their own (functions.name:0), and a shorter one stands in every answer.
const minID, maxID = 8, 64

// callID is the id of a call that came in words: the model's own, if it has one
// that no other call has, else a new one.
func (x *run) callID(own string, taken map[string]bool) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:"
	id := own
	if len(id) < minID || len(id) > maxID || strings.Trim(id, plain) != "" || taken[id] {
		id = x.mintID()
	}
	taken[id] = true
	return id
}

// mintID makes a call id that every provider takes: nine letters and digits.
func (x *run) mintID() string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	src := x.r.Rand
	if src == nil {
		src = rand.Reader
	}
	var id [9]byte
	var b [1]byte
	for i := 0; i < len(id); {
		if _, err := io.ReadFull(src, b[:]); err != nil {
			// The system's own randomness doesn't fail; a test's may run dry.
			src = rand.Reader
			continue
		}
		if int(b[0]) < 256-256%len(alphabet) {
			id[i] = alphabet[int(b[0])%len(alphabet)]
			i++
		}
	}
	return string(id[:])
}
