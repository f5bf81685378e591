package gemini

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// appendSystem writes the system prompt, a part for each of its texts; nil for none.
func appendSystem(b []byte, system []chat.Part) ([]byte, error) {
	var w contents
	w.b = b
	w.begin(turnUser)
	for _, p := range system {
		if err := w.part(p); err != nil {
			return nil, err
		}
	}
	if w.count == 0 {
		return nil, nil
	}
	return append([]byte(`{"parts":[`), append(w.parts, "]}"...)...), nil
}

// turnOf is whose turn a message is: contents know two roles.
type turnOf uint8

const (
	turnNone turnOf = iota
	turnUser
	turnModel
	turnResults // of tools, which stand in a user's turn of their own
)

var roleNames = map[turnOf]string{turnUser: "user", turnModel: "model", turnResults: "user"}

// turns is whose turn a role speaks in; a system message within the
// conversation has no place but the user's.
var turns = map[chat.Role]turnOf{
	chat.RoleAssistant: turnModel,
	chat.RoleTool:      turnResults,
}

// contents is the list of turns that is being written.
type contents struct {
	b        []byte
	turn     turnOf
	parts    []byte // of the turn at hand
	behind   []byte // parts that follow the results
	count    int    // parts
	unsigned bool   // the turn's first call must not go without a signature
	names    map[string]string
}

// appendContents writes the messages. Messages of the model that follow each
// other are one turn, and so are results: the provider wants as many results
// right behind a turn as that has calls.
func appendContents(b []byte, q *chat.Request) ([]byte, error) {
	w := contents{b: append(b, '['), names: map[string]string{}}
	checked := signatureChecked(q.Model)
	for _, m := range q.Messages {
		turn := turns[m.Role]
		if turn == turnNone {
			turn = turnUser
		}
		if turn != w.turn || turn == turnUser {
			w.end()
			w.begin(turn)
			w.unsigned = checked
		}
		for _, p := range m.Parts {
			if err := w.part(p); err != nil {
				return nil, err
			}
		}
	}
	w.end()
	return append(w.b, ']'), nil
}

func (w *contents) begin(turn turnOf) {
	w.turn, w.parts, w.behind, w.count = turn, nil, nil, 0
}

// end writes the turn at hand. One without parts is none.
func (w *contents) end() {
	if w.count == 0 {
		return
	}
	if n := len(w.b); w.b[n-1] != '[' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, `{"role":`...)
	w.b = rawjson.AppendString(w.b, roleNames[w.turn])
	w.b = append(append(w.b, `,"parts":[`...), w.parts...)
	if len(w.parts) > 0 && len(w.behind) > 0 {
		w.b = append(w.b, ',')
	}
	w.b = append(append(w.b, w.behind...), "]}"...)
}

// next begins a part in a list.
func (w *contents) next(list *[]byte) {
	if len(*list) > 0 {
		*list = append(*list, ',')
	}
	w.count++
}

func (w *contents) part(p chat.Part) error {
	switch p := p.(type) {
	case chat.Text:
		if p.Text == "" {
			return nil // the provider refuses it, and it says nothing
		}
		w.next(&w.parts)
		w.parts = append(w.parts, `{"text":`...)
		w.parts = append(appendSignature(rawjson.AppendString(w.parts, p.Text), p.Extra[signature]), '}')
	case chat.Image:
		return w.image(&w.parts, p)
	case chat.Reasoning: // a summary for people; the model's own stands in the signatures
	case chat.Call:
		w.call(p)
	case chat.Result:
		return w.result(p)
	case chat.Opaque:
		if p.Protocol != Name {
			return refuse(codeContent, "messages", "The conversation holds a part that only %s understands; this model's provider takes text, pictures, calls and results. Take it out, or choose another model.", p.Protocol)
		}
		w.next(&w.parts)
		w.parts = append(w.parts, p.Raw...)
	}
	return nil
}

// call writes a call with its signature, on the part on which it came.
func (w *contents) call(c chat.Call) {
	sig := signatureOf(c)
	if sig == nil && w.unsigned {
		sig = []byte(noSignature)
	}
	w.unsigned = false // only a turn's first call is looked at
	w.names[c.ID] = c.Name
	w.next(&w.parts)
	b := append(w.parts, `{"functionCall":{`...)
	b = appendID(b, c.ID)
	b = append(b, `"name":`...)
	b = rawjson.AppendString(b, c.Name)
	b = appendArgs(append(b, `,"args":`...), c.Args)
	w.parts = append(appendSignature(append(b, '}'), sig), '}')
}

func appendID(b []byte, id string) []byte {
	if id == "" {
		return b
	}
	b = rawjson.AppendString(append(b, `"id":`...), id)
	return append(b, ',')
}

// appendArgs writes arguments, which must be an object: a text, as some tools
// take it, becomes its one member.
func appendArgs(b, args []byte) []byte {
	switch {
	case len(strings.TrimSpace(string(args))) == 0:
		return append(b, "{}"...)
	case rawjson.Valid(args, rawjson.MaxDepth) != nil:
		b = rawjson.AppendString(append(b, `{"input":`...), string(args))
	case rawjson.Kind(args) == '{':
		return append(b, args...)
	default:
		b = append(append(b, `{"input":`...), args...)
	}
	return append(b, '}')
}

// result writes what a tool answered. The text stays a text, under the key that
// the provider knows: as an object its numbers and keys would be read anew.
func (w *contents) result(r chat.Result) error {
	name := r.Name
	if name == "" {
		name = w.names[r.ID]
	}
	var texts []string
	for _, p := range r.Parts {
		switch p := p.(type) {
		case chat.Text:
			texts = append(texts, p.Text)
		case chat.Image:
			// Pictures stand behind the results; not every model takes them inside.
			if err := w.image(&w.behind, p); err != nil {
				return err
			}
		default:
			return refuse(codeContent, "messages", "The result of a call to %q holds something that is neither text nor a picture.", name)
		}
	}
	key := `"output":`
	if r.Error {
		key = `"error":`
	}
	w.next(&w.parts)
	b := append(w.parts, `{"functionResponse":{`...)
	b = appendID(b, r.ID)
	b = append(b, `"name":`...)
	b = rawjson.AppendString(b, name)
	b = append(append(b, `,"response":{`...), key...)
	b = rawjson.AppendString(b, strings.Join(texts, "\n"))
	w.parts = append(b, "}}}"...)
	return nil
}

// image writes a picture: its bytes where they are there, else its address. It
// is never fetched.
func (w *contents) image(list *[]byte, p chat.Image) error {
	media, data := p.Media, ""
	switch rest, inline := strings.CutPrefix(p.URL, "data:"); {
	case inline:
		var ok bool
		if media, data, ok = readDataURL(rest); !ok {
			return refuse(codeContent, "messages", "A picture's data: URL can't be read. It should be data:image/png;base64, and the picture in base64.")
		}
	case p.URL == "":
		data = base64.StdEncoding.EncodeToString(p.Data)
	default:
		w.next(list)
		b := append(*list, `{"fileData":{`...)
		if media != "" {
			b = append(rawjson.AppendString(append(b, `"mimeType":`...), media), ',')
		}
		b = rawjson.AppendString(append(b, `"fileUri":`...), p.URL)
		*list = append(b, "}}"...)
		return nil
	}
	if media == "" {
		return refuse(codeContent, "messages", "A picture comes without its media type, such as image/png.")
	}
	w.next(list)
	b := rawjson.AppendString(append(*list, `{"inlineData":{"mimeType":`...), media)
	b = rawjson.AppendString(append(b, `,"data":`...), data)
	*list = append(b, "}}"...)
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
