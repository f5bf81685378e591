package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

// schemaKeys are the names that protocols have for the schema of a tool's arguments.
var schemaKeys = []string{"parameters", "input_schema", "inputSchema", "parametersJsonSchema"}

// readTool reads a tool as OpenAI, Anthropic, Gemini and MCP write it. It writes
// where MCP's hint says that it may destroy something.
func readTool(b []byte) (t chat.Tool, writes bool, err error) {
	if err := rawjson.Valid(b, rawjson.MaxDepth); err != nil {
		return t, false, err
	}
	if rawjson.Kind(b) != '{' {
		return t, false, errors.New("it must be one object: a name and the schema of the arguments")
	}
	if key, twice := rawjson.Doubled(b); twice {
		return t, false, fmt.Errorf("the key %q stands twice in one object", key)
	}
	hint, _ := rawjson.Get(b, "annotations", "destructiveHint")
	if inner, ok := rawjson.Get(b, "function"); ok && rawjson.Kind(inner) == '{' {
		b = inner
	}
	if t.Name, err = textAt(b, "name"); err != nil {
		return t, false, err
	}
	if t.Name == "" {
		return t, false, errors.New(`it has no "name"`)
	}
	if t.Description, err = textAt(b, "description"); err != nil {
		return t, false, err
	}
	from := ""
	for _, key := range schemaKeys {
		v, ok := rawjson.Get(b, key)
		switch {
		case !ok || rawjson.Kind(v) == 'n':
		case from != "":
			return t, false, fmt.Errorf("it has two schemas, %s and %s", from, key)
		default:
			from, t.Schema = key, v
		}
	}
	return t, string(hint) == "true", nil
}

// textAt returns the text of a member; "" where it isn't there or null.
func textAt(b []byte, key string) (string, error) {
	v, ok := rawjson.Get(b, key)
	switch {
	case !ok || rawjson.Kind(v) == 'n':
		return "", nil
	case rawjson.Kind(v) != '"':
		return "", fmt.Errorf("%q must be a string", key)
	}
	return rawjson.String(v)
}

// oneOf refuses a word that isn't among those that there are. No word is none of them.
func oneOf(what, word string, known ...string) error {
	for _, k := range append(known, "") {
		if word == k {
			return nil
		}
	}
	return fmt.Errorf("%s is %q: it must be one of %s", what, word, strings.Join(known, ", "))
}
