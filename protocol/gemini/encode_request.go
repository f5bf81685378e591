package gemini

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// What is done with a model, by whether the answer is to be streamed.
var methods = map[bool]string{
	false: ":generateContent",
	true:  ":streamGenerateContent?alt=sse",
}

// everything names all groups of members, for a request that came in another protocol.
const everything = chat.FieldMessages | chat.FieldTools | chat.FieldFormat | chat.FieldSampling | chat.FieldStream

// EncodeRequest returns the request for an upstream. One that came in this
// protocol keeps every byte that Wire.Edited doesn't name; its model stands in
// the path. What the protocol has no room for is a *chat.Fault with status 400.
func (Client) EncodeRequest(q *chat.Request) (string, []byte, error) {
	body, edited := []byte("{}"), everything
	if q.Wire != nil && q.Wire.Protocol == Name {
		body, edited = q.Wire.Body, q.Wire.Edited
	}
	cs, err := changes(q, body, edited)
	if err == nil && len(cs) > 0 {
		body, err = rawjson.Edit(body, cs...)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encode the request: %w", err)
	}
	return modelPath(q.Model) + methods[q.Stream], body, nil
}

// collections are the kinds of names that a model may be given with.
var collections = []string{"models/", "tunedModels/"}

// modelPath is a model's place below the provider's base URL. Nothing in its
// name can lead elsewhere.
func modelPath(model string) string {
	kind := collections[0]
	for _, c := range collections {
		if name, ok := strings.CutPrefix(model, c); ok {
			kind, model = c, name
			break
		}
	}
	return "/" + kind + strings.ReplaceAll(url.PathEscape(model), ":", "%3A")
}

// changes are the members of body that q's edited groups make.
func changes(q *chat.Request, body []byte, edited chat.Fields) ([]rawjson.Change, error) {
	var cs []rawjson.Change
	if edited&chat.FieldMessages != 0 {
		contents, err := appendContents(nil, q)
		if err != nil {
			return nil, err
		}
		system, err := appendSystem(nil, q.System)
		if err != nil {
			return nil, err
		}
		cs = append(cs, rawjson.Change{Key: "systemInstruction", Value: system}, rawjson.Change{Key: "contents", Value: contents})
	}
	if edited&chat.FieldTools != 0 {
		ts, err := toolChanges(q)
		if err != nil {
			return nil, err
		}
		cs = append(cs, ts...)
	}
	config, err := configChanges(q, edited)
	if err != nil {
		return nil, err
	}
	if len(config) > 0 {
		was, ok := rawjson.Get(body, "generationConfig")
		if !ok || rawjson.Kind(was) != '{' {
			was = []byte("{}")
		}
		v, err := rawjson.Edit(was, config...)
		if err != nil {
			return nil, err
		}
		if string(v) == "{}" && !ok {
			v = nil
		}
		cs = append(cs, rawjson.Change{Key: "generationConfig", Value: v})
	}
	return setExtra(cs, q.Extra), nil
}

// setExtra adds the members that Ferrule sets beside what it knows by name. One
// that stands among the changes already has its value from here.
func setExtra(cs []rawjson.Change, e chat.Extra) []rawjson.Change {
	for _, key := range slices.Sorted(maps.Keys(e)) {
		name, ok := strings.CutPrefix(key, own)
		if !ok {
			continue
		}
		cs = slices.DeleteFunc(cs, func(c rawjson.Change) bool { return c.Key == name })
		cs = append(cs, rawjson.Change{Key: name, Value: e[key]})
	}
	return cs
}

// configChanges are the members of generationConfig. What is thought and how
// much is left to the model.
func configChanges(q *chat.Request, edited chat.Fields) ([]rawjson.Change, error) {
	var cs []rawjson.Change
	if edited&chat.FieldSampling != 0 {
		s := q.Sampling
		if s.Choices != nil && *s.Choices > 1 {
			return nil, refuse(codeChoices, "n", "n is %d: of this provider's models one answer is read. Leave n out.", *s.Choices)
		}
		stop := rawjson.Change{Key: "stopSequences"}
		if len(s.Stop) > 0 {
			stop.Value = appendStrings(nil, s.Stop)
		}
		cs = append(cs, rawjson.Change{Key: "maxOutputTokens", Value: appendInt(s.MaxTokens)},
			rawjson.Change{Key: "temperature", Value: appendFloat(s.Temperature)},
			rawjson.Change{Key: "topP", Value: appendFloat(s.TopP)}, stop)
	}
	if edited&chat.FieldFormat != 0 {
		media, form := rawjson.Change{Key: "responseMimeType"}, rawjson.Change{Key: "responseJsonSchema"}
		if f := q.Format; f != nil && f.Type != "text" {
			media.Value = []byte(`"application/json"`)
			if rawjson.Kind(f.Schema) == '{' {
				form.Value = f.Schema
			}
		}
		cs = append(cs, media, form)
	}
	return cs, nil
}

// refuse is the fault of a request that can't be put into this protocol.
func refuse(code, param, format string, args ...any) *chat.Fault {
	return &chat.Fault{Code: code, Status: http.StatusBadRequest, Param: param, Text: fmt.Sprintf(format, args...)}
}

func appendInt(n *int) []byte {
	if n == nil {
		return nil
	}
	return strconv.AppendInt(nil, int64(*n), 10)
}

func appendFloat(f *float64) []byte {
	if f == nil {
		return nil
	}
	return strconv.AppendFloat(nil, *f, 'g', -1, 64)
}

func appendStrings(b []byte, ss []string) []byte {
	b = append(b, '[')
	for i, s := range ss {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, s)
	}
	return append(b, ']')
}
