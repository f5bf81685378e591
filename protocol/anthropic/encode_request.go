package anthropic

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// path is where requests go, below the provider's base URL.
const path = "/messages"

// everything names all groups of members, for a request that came in another protocol.
const everything = chat.FieldMessages | chat.FieldTools | chat.FieldFormat | chat.FieldSampling | chat.FieldStream

// EncodeRequest returns the request for an upstream. One that came in this
// protocol keeps every byte that Wire.Edited and a changed model don't name.
// What the protocol has no room for is a *chat.Fault with status 400.
func (c Client) EncodeRequest(q *chat.Request) (string, []byte, error) {
	body, edited := []byte("{}"), everything
	if q.Wire != nil && q.Wire.Protocol == Name {
		body, edited = q.Wire.Body, q.Wire.Edited
	}
	cs, err := c.changes(q, body, edited)
	if err == nil && len(cs) > 0 {
		body, err = rawjson.Edit(body, cs...)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encode the request: %w", err)
	}
	return path, body, nil
}

// changes are the members of body that q's model and edited groups make.
func (c Client) changes(q *chat.Request, body []byte, edited chat.Fields) ([]rawjson.Change, error) {
	var cs []rawjson.Change
	if was, ok := rawjson.Get(body, "model"); !ok || text(was) != q.Model {
		cs = append(cs, rawjson.Change{Key: "model", Value: rawjson.AppendString(nil, q.Model)})
	}
	if edited&chat.FieldSampling != 0 {
		ss, err := c.samplingChanges(q.Sampling)
		if err != nil {
			return nil, err
		}
		cs = append(cs, ss...)
	}
	if edited&chat.FieldMessages != 0 {
		system, err := appendSystem(q.System)
		if err != nil {
			return nil, err
		}
		ms, err := appendMessages(nil, q)
		if err != nil {
			return nil, err
		}
		cs = append(cs, rawjson.Change{Key: "system", Value: system}, rawjson.Change{Key: "messages", Value: ms})
	}
	if edited&chat.FieldTools != 0 {
		ts, err := toolChanges(q)
		if err != nil {
			return nil, err
		}
		cs = append(cs, ts...)
	}
	if edited&chat.FieldFormat != 0 {
		f, err := formatChange(q.Format, body)
		if err != nil {
			return nil, err
		}
		cs = append(cs, f)
	}
	if edited&chat.FieldStream != 0 {
		stream := rawjson.Change{Key: "stream"}
		if q.Stream {
			stream.Value = []byte("true")
		}
		cs = append(cs, stream)
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

// hottest is the highest temperature that the protocol knows. Others go up to
// 2; there the provider's own OpenAI endpoint takes 1, and so does this one.
const hottest = 1

func (c Client) samplingChanges(s chat.Sampling) ([]rawjson.Change, error) {
	if s.Choices != nil && *s.Choices > 1 {
		return nil, refuse(codeChoices, "n", "n is %d: of this provider's models one answer comes. Leave n out.", *s.Choices)
	}
	limit := c.MaxTokens
	if limit <= 0 {
		limit = DefaultMaxTokens
	}
	if s.MaxTokens != nil && *s.MaxTokens >= 0 { // some clients say "no limit" by -1
		limit = *s.MaxTokens
	}
	temperature := s.Temperature
	if temperature != nil && *temperature > hottest {
		most := float64(hottest)
		temperature = &most
	}
	stop := rawjson.Change{Key: "stop_sequences"}
	if len(s.Stop) > 0 {
		stop.Value = appendStrings(nil, s.Stop)
	}
	return []rawjson.Change{
		{Key: "max_tokens", Value: strconv.AppendInt(nil, int64(limit), 10)},
		{Key: "temperature", Value: appendFloat(temperature)},
		{Key: "top_p", Value: appendFloat(s.TopP)},
		stop,
	}, nil
}

// formatChange writes the form that the answer must have. The protocol holds
// answers to a schema, and to nothing less.
func formatChange(f *chat.Format, body []byte) (rawjson.Change, error) {
	config := rawjson.Change{Key: "output_config"}
	was, ok := rawjson.Get(body, config.Key)
	if !ok || rawjson.Kind(was) != '{' {
		was = []byte("{}")
	}
	format := rawjson.Change{Key: "format"}
	switch {
	case f == nil || f.Type == "text" || f.Type == "":
	case rawjson.Kind(f.Schema) == '{':
		format.Value = append(append([]byte(`{"type":"json_schema","schema":`), f.Schema...), '}')
	default:
		return config, refuse(codeFormat, "response_format", "response_format is %q: this provider holds answers to a JSON Schema or to nothing. Send a json_schema, or leave it out.", f.Type)
	}
	v, err := rawjson.Edit(was, format)
	if err != nil {
		return config, fmt.Errorf("edit output_config: %w", err)
	}
	if string(v) != "{}" {
		config.Value = v
	}
	return config, nil
}

// refuse is the fault of a request that can't be put into this protocol.
func refuse(code, param, format string, args ...any) *chat.Fault {
	return &chat.Fault{Code: code, Status: http.StatusBadRequest, Param: param, Text: fmt.Sprintf(format, args...)}
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
