package turn

import (
	"context"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/words"
)

//go:embed picture.tmpl
var pictureText string

var pictureTmpl = template.Must(template.New("picture").Parse(pictureText))

// maxDescription is how many bytes are kept of what is told of a picture.
const maxDescription = 4 << 10

// blind reports whether pictures in results must become words for a model.
func blind(p profile.Profile) bool {
	if p.Sees != nil {
		return !*p.Sees
	}
	return p.Describe != ""
}

// worded returns the client's request with the pictures in results put into
// words, for a model that doesn't see: what the describer tells of one, else
// that one stood there. What was said once of a picture is said again on every
// later turn, also that there was nothing to say.
func (x *run) worded(p profile.Profile) *chat.Request {
	if !blind(p) {
		return x.q
	}
	var pictures []chat.Image
	eachResult(x.q, func(r chat.Result) chat.Result {
		for _, part := range r.Parts {
			if image, ok := part.(chat.Image); ok {
				pictures = append(pictures, image)
			}
		}
		return r
	})
	if len(pictures) == 0 {
		return x.q
	}
	said := x.describe(pictures, p.Describe)
	n := 0
	q := eachResult(x.q, func(r chat.Result) chat.Result {
		r.Parts = slices.Clone(r.Parts)
		for i, part := range r.Parts {
			if image, ok := part.(chat.Image); ok {
				r.Parts[i] = chat.Text{Text: wordsFor(image, said[n])}
				n++
			}
		}
		return r
	})
	x.shown = words.NewShown(q) // what is told of a picture is shown, as it is
	return q
}

// eachResult returns q with every result replaced by what f makes of it.
func eachResult(q *chat.Request, f func(chat.Result) chat.Result) *chat.Request {
	out := q.Edit(chat.FieldMessages)
	out.Messages = slices.Clone(q.Messages)
	for i := range out.Messages {
		m := &out.Messages[i]
		if !slices.ContainsFunc(m.Parts, isResult) {
			continue
		}
		m.Parts = slices.Clone(m.Parts)
		for k, part := range m.Parts {
			if r, ok := part.(chat.Result); ok {
				m.Parts[k] = f(r)
			}
		}
	}
	return out
}

// describe returns what is told of each picture; "" where nothing is. The last
// pictures are asked about first: it is those that the model was just given.
func (x *run) describe(pictures []chat.Image, by string) []string {
	said := make([]string, len(pictures))
	asked := 0
	for i := len(pictures) - 1; i >= 0; i-- {
		key := pictureKey(x.t.Owner, by, pictures[i])
		text, known := x.r.pictures.get(key)
		if !known {
			if x.t.Describe != nil && x.healed < maxHealing {
				// It counts among the requests that one of the client's may cost (H4).
				x.healed++
				asked++
				text = x.ask(pictures[i])
			}
			if x.ctx.Err() != nil {
				return said // nobody waits for it, and it says nothing of the picture
			}
			text = x.r.pictures.put(key, text)
		}
		said[i] = text
	}
	x.report.Described += asked
	return said
}

// ask has one picture described.
func (x *run) ask(p chat.Image) string {
	text, err := x.t.Describe(x.ctx, p)
	if err != nil {
		return ""
	}
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	return clip(text, maxDescription)
}

// wordsFor is what stands in a result for a picture.
func wordsFor(p chat.Image, said string) string {
	media, size := pictureFacts(p)
	var b strings.Builder
	err := pictureTmpl.Execute(&b, struct{ Media, Size, Words string }{media, size, said})
	if err != nil {
		return "[picture]"
	}
	return b.String()
}

// pictureFacts are a picture's type and size; the size is "" for one that stands
// elsewhere.
func pictureFacts(p chat.Image) (media, size string) {
	media, n := p.Media, len(p.Data)
	if rest, ok := strings.CutPrefix(p.URL, "data:"); ok {
		head, payload, _ := strings.Cut(rest, ",")
		kind, _, _ := strings.Cut(head, ";")
		media = orElse(media, kind)
		if n == 0 {
			n = base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(payload, "=")))
		}
	}
	if media == "" || len(media) > 40 || strings.Trim(strings.ToLower(media), "abcdefghijklmnopqrstuvwxyz0123456789/+.-") != "" {
		media = "of an unknown type"
	}
	switch {
	case n == 0:
		return media, ""
	case n < 1000:
		return media, fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return media, fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return media, fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Describer tells in words what a picture shows.
type Describer func(ctx context.Context, p chat.Image) (string, error)
