package anthropic

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// blocks is a list of content blocks that is being written, a comma before each.
type blocks []byte

func (l *blocks) add(block []byte) { *l = append(append(*l, ','), block...) }

// raw adds the elements of a list that is JSON already.
func (l *blocks) raw(list []byte) {
	_ = rawjson.Elements(list, func(v []byte) bool {
		l.add(v)
		return true
	})
}

// close returns the list.
func (l blocks) close() []byte { return append(append([]byte{'['}, l[1:]...), ']') }

// content returns what a result holds: one plain text as a string, the form that
// every server of the protocol takes, anything else as a list.
func (l blocks) content(parts []chat.Part) []byte {
	if len(parts) == 1 {
		if t, ok := parts[0].(chat.Text); ok && len(appendExtra(nil, t.Extra)) == 0 {
			return rawjson.AppendString(nil, t.Text)
		}
	}
	return l.close()
}

// isBlank reports whether a text is one that the provider refuses. It says nothing.
func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func (l *blocks) text(t chat.Text) {
	if isBlank(t.Text) {
		return
	}
	b := rawjson.AppendString([]byte(`{"type":"text","text":`), t.Text)
	l.add(append(appendExtra(b, t.Extra), '}'))
}

func (l *blocks) opaque(o chat.Opaque) error {
	if o.Protocol != Name {
		return refuse(codeContent, "messages", "The conversation holds a part that only %s understands; this model's provider takes text, pictures, calls and results. Take it out, or choose another model.", o.Protocol)
	}
	l.add(o.Raw)
	return nil
}

// isSigned reports whether thinking may go back to the provider: it proves that
// it is the provider's own.
func isSigned(r chat.Reasoning) bool {
	return isText(r.Extra[signature]) || isText(r.Extra[redacted])
}

// isText reports whether v is a JSON string that isn't empty.
func isText(v []byte) bool { return len(v) > 2 && rawjson.Kind(v) == '"' }

// reasoning writes thinking that is signed, and leaves out any other.
func (l *blocks) reasoning(r chat.Reasoning) {
	switch {
	case isText(r.Extra[redacted]):
		l.add(redactedBlock(r.Extra[redacted]))
	case isText(r.Extra[signature]):
		l.add(thinkingBlock(r.Text, r.Extra[signature]))
	}
}

func thinkingBlock(words string, signature []byte) []byte {
	b := rawjson.AppendString([]byte(`{"type":"thinking","thinking":`), words)
	return append(append(append(b, `,"signature":`...), signature...), '}')
}

func redactedBlock(data []byte) []byte {
	return append(append([]byte(`{"type":"redacted_thinking","data":`), data...), '}')
}

// image writes a picture: its bytes where they are there, else its address. It
// is never fetched here.
func (l *blocks) image(p chat.Image) error {
	media, data := p.Media, ""
	switch rest, inline := strings.CutPrefix(p.URL, "data:"); {
	case inline:
		var ok bool
		if media, data, ok = readDataURL(rest); !ok {
			return refuse(codeContent, "messages", "A picture's data: URL can't be read. It should be data:image/png;base64, and the picture in base64.")
		}
	case p.URL != "":
		b := rawjson.AppendString([]byte(`{"type":"image","source":{"type":"url","url":`), p.URL)
		l.add(append(appendExtra(append(b, '}'), p.Extra), '}'))
		return nil
	default:
		data = base64.StdEncoding.EncodeToString(p.Data)
	}
	if media == "" {
		return refuse(codeContent, "messages", "A picture comes without its media type, such as image/png.")
	}
	b := rawjson.AppendString([]byte(`{"type":"image","source":{"type":"base64","media_type":`), media)
	b = rawjson.AppendString(append(b, `,"data":`...), data)
	l.add(append(appendExtra(append(b, '}'), p.Extra), '}'))
	return nil
}

// readDataURL reads what stands behind data: and returns the data in base64.
func readDataURL(s string) (media, data string, ok bool) {
	head, data, ok := strings.Cut(s, ",")
	if !ok {
		return "", "", false
	}
	head, isBase64 := strings.CutSuffix(head, ";base64")
	if media, _, _ = strings.Cut(head, ";"); media == "" {
		return "", "", false
	}
	if !isBase64 {
		plain, err := url.PathUnescape(data)
		if err != nil {
			return "", "", false
		}
		data = base64.StdEncoding.EncodeToString([]byte(plain))
	}
	return media, data, true
}
