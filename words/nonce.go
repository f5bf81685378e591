package words

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// nonceLetters has no letter or digit that looks like another. It has 31, so
// that five bits pick one without bias once the 32nd value is thrown away.
const (
	nonceLetters = "abcdefghjkmnpqrstuvwxyz23456789"
	nonceLen     = 10
)

// nonce draws a nonce from a keyed stream: the same key, label and number give
// the same nonce.
func nonce(key []byte, label string, n uint64) string {
	out := make([]byte, 0, nonceLen)
	for block := uint64(0); ; block++ {
		m := hmac.New(sha256.New, key)
		m.Write(sized(label))
		m.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, n), block))
		for _, c := range m.Sum(nil) {
			if i := int(c & 31); i < len(nonceLetters) {
				if out = append(out, nonceLetters[i]); len(out) == nonceLen {
					return string(out)
				}
			}
		}
	}
}
