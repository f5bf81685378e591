package turn

import (
	queue "container/list"
	"crypto/sha256"
	"sync"

	"github.com/ferrule/ferrule/chat"
)

// maxDescriptions bounds what is remembered of pictures; beyond it what wasn't
// asked for the longest is forgotten.
const maxDescriptions = 1_000

// descriptions are what was told of pictures, while the process lives. It is
// safe for concurrent use; its zero value is empty.
type descriptions struct {
	mu    sync.Mutex
	kept  map[pictureID]*queue.Element // of description
	order *queue.List                  // the next to be forgotten first
}

type pictureID [sha256.Size]byte

type description struct {
	id   pictureID
	text string
}

// pictureKey tells pictures apart, and who was told of them by whom: what one
// owner's request had described no other reads.
func pictureKey(owner, by string, p chat.Image) pictureID {
	var b []byte
	for _, s := range []string{owner, by, p.Media, p.URL, string(p.Data)} {
		d := sha256.Sum256([]byte(s))
		b = append(b, d[:]...)
	}
	return sha256.Sum256(b)
}

func (d *descriptions) get(id pictureID) (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.kept[id]
	if !ok {
		return "", false
	}
	d.order.MoveToBack(e)
	return e.Value.(description).text, true
}

// put keeps a text unless another is kept already, and returns the one that is:
// of two requests at once both then say the same.
func (d *descriptions) put(id pictureID, text string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.kept[id]; ok {
		return e.Value.(description).text
	}
	if d.kept == nil {
		d.kept, d.order = map[pictureID]*queue.Element{}, queue.New()
	}
	d.kept[id] = d.order.PushBack(description{id, text})
	if d.order.Len() > maxDescriptions {
		oldest := d.order.Remove(d.order.Front()).(description)
		delete(d.kept, oldest.id)
	}
	return text
}
