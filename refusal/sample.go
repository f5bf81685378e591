package refusal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"

	"github.com/ferrule/ferrule/chat"
)

// mostWords is how many words of a fault a sample has.
const mostWords = 40

// Sample tells of a fault without its content: how long it is, a short hash by
// which two are known for the same, and those of its words that the rows have
// too. Everything else it may have of the request or of an account.
func Sample(f *chat.Fault) string {
	if f == nil {
		return ""
	}
	text := strings.Join(texts(f), "\n")
	sum := sha256.Sum256([]byte(text))
	var kept []string
	known := vocabulary()
	eachWord(newSaid(f).low, func(word string) bool {
		if known[word] {
			kept = append(kept, word)
		}
		return len(kept) < mostWords
	})
	return fmt.Sprintf("[REDACTED LENGTH=%d HASH=%s] %s", len(text), hex.EncodeToString(sum[:4]), strings.Join(kept, " "))
}

// vocabulary are the words of the rows.
var vocabulary = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, x := range builtIn {
		for _, p := range x.is {
			eachWord(p.words, func(word string) bool {
				all[word] = true
				return true
			})
		}
	}
	for _, word := range strings.Fields("model request error invalid unsupported tool tools function functions schema stream streaming parameter not supported") {
		all[word] = true
	}
	return all
})
