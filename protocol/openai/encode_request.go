package openai

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// path is where requests go, below the provider's base URL.
const path = "/chat/completions"

// EncodeRequest returns the request for an upstream. One that came in this
// protocol keeps every byte that Wire.Edited and a changed model don't name; if
// nothing changed the body is the very one that came. It fails on parts that
// only another protocol understands.
func (Client) EncodeRequest(q *chat.Request) (string, []byte, error) {
	var body []byte
	var err error
	if q.Wire != nil && q.Wire.Protocol == Name {
		body, err = editRequest(q)
	} else {
		body, err = buildRequest(q)
	}
	if err != nil {
		return "", nil, fmt.Errorf("encode the request: %w", err)
	}
	return path, body, nil
}

func editRequest(q *chat.Request) ([]byte, error) {
	edited := q.Wire.Edited
	var cs []rawjson.Change
	model, ok := rawjson.Get(q.Wire.Body, "model")
	if (!ok && q.Model != "") || (ok && str(model) != q.Model) {
		cs = append(cs, rawjson.Change{Key: "model", Value: rawjson.AppendString(nil, q.Model)})
	}
	if edited&chat.FieldMessages != 0 {
		ms, err := appendMessages(nil, q)
		if err != nil {
			return nil, err
		}
		cs = append(cs, rawjson.Change{Key: "messages", Value: ms})
	}
	if edited&chat.FieldTools != 0 {
		ts, err := toolChanges(q, usesFunctions(q))
		if err != nil {
			return nil, err
		}
		cs = append(cs, ts...)
	}
	if edited&chat.FieldFormat != 0 {
		cs = append(cs, rawjson.Change{Key: "response_format", Value: appendFormat(nil, q.Format)})
	}
	if edited&chat.FieldSampling != 0 {
		cs = append(cs, samplingChanges(q)...)
	}
	if edited&chat.FieldStream != 0 {
		ss, err := streamChanges(q)
		if err != nil {
			return nil, err
		}
		cs = append(cs, ss...)
	}
	cs = setExtra(cs, q.Extra)
	if len(cs) == 0 {
		return q.Wire.Body, nil
	}
	return rawjson.Edit(q.Wire.Body, cs...)
}

// buildRequest writes a request that came in another protocol.
func buildRequest(q *chat.Request) ([]byte, error) {
	ms, err := appendMessages(nil, q)
	if err != nil {
		return nil, err
	}
	cs := []rawjson.Change{
		{Key: "model", Value: rawjson.AppendString(nil, q.Model)},
		{Key: "messages", Value: ms},
	}
	ts, err := toolChanges(q, false)
	if err != nil {
		return nil, err
	}
	ss, err := streamChanges(q)
	if err != nil {
		return nil, err
	}
	cs = append(append(cs, ts...), rawjson.Change{Key: "response_format", Value: appendFormat(nil, q.Format)})
	cs = append(append(cs, samplingChanges(q)...), ss...)
	return rawjson.Edit([]byte("{}"), setExtra(cs, q.Extra)...)
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

// samplingChanges writes the settings, the limit on tokens under the name that it came with.
func samplingChanges(q *chat.Request) []rawjson.Change {
	s := q.Sampling
	limit, other := "max_tokens", "max_completion_tokens"
	if _, ok := member(q, other); ok {
		limit, other = other, limit
	}
	cs := []rawjson.Change{
		{Key: limit, Value: appendInt(s.MaxTokens)},
		{Key: other},
		{Key: "n", Value: appendInt(s.Choices)},
		{Key: "temperature", Value: appendFloat(s.Temperature)},
		{Key: "top_p", Value: appendFloat(s.TopP)},
		{Key: "stop"},
	}
	if _, both := member(q, other); both && limit != "max_tokens" {
		// Where both stand, the upstream may read either.
		cs[1].Value = cs[0].Value
	}
	if len(s.Stop) > 0 {
		cs[len(cs)-1].Value = appendStrings(nil, s.Stop)
	}
	return cs
}

// streamChanges writes stream and what belongs to it. Other stream options stay.
func streamChanges(q *chat.Request) ([]rawjson.Change, error) {
	_, came := member(q, "stream")
	stream := rawjson.Change{Key: "stream"}
	if q.Stream {
		stream.Value = []byte("true")
	} else if came {
		stream.Value = []byte("false")
	}
	options := rawjson.Change{Key: "stream_options"}
	if !q.Stream {
		return []rawjson.Change{stream, options}, nil // no upstream takes them without a stream
	}
	was, ok := member(q, "stream_options")
	if !ok || rawjson.Kind(was) != '{' {
		was = []byte("{}")
	}
	usage := rawjson.Change{Key: "include_usage"}
	if q.Usage {
		usage.Value = []byte("true")
	}
	v, err := rawjson.Edit(was, usage)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(v, []byte("{}")) {
		options.Value = v
	}
	return []rawjson.Change{stream, options}, nil
}

// member returns a member of the request as it came, if it came in this protocol.
func member(q *chat.Request, key string) ([]byte, bool) {
	if q.Wire == nil || q.Wire.Protocol != Name {
		return nil, false
	}
	return rawjson.Get(q.Wire.Body, key)
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

func appendFormat(b []byte, f *chat.Format) []byte {
	if f == nil {
		return nil
	}
	b = append(b, `{"type":`...)
	b = rawjson.AppendString(b, f.Type)
	if f.Schema != nil || f.Name != "" {
		b = append(b, `,"json_schema":{"name":`...)
		b = rawjson.AppendString(b, f.Name)
		if f.Schema != nil {
			b = append(b, `,"schema":`...)
			b = append(b, f.Schema...)
		}
		if f.Strict != nil {
			b = append(b, `,"strict":`...)
			b = strconv.AppendBool(b, *f.Strict)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}
