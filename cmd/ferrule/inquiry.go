package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
	"github.com/ferrule/ferrule/schema"
)

// inquiry is one call to check.
type inquiry struct {
	tool      chat.Tool
	text      []byte // the arguments
	finish    string
	writes    bool
	drop      bool // fields that the schema doesn't speak of
	refs      []string
	verbosity args.Verbosity
}

// answer reads the call as a turn would. An error is about the tool.
func (q inquiry) answer(cache *schema.Cache) (c checked, err error) {
	// A turn takes a schema that can't be compiled and checks little; here that would be a false yes.
	if _, err := cache.Compile(q.tool.Schema); err != nil {
		return c, fmt.Errorf("the tool %q can't be checked: %s", q.tool.Name, strings.TrimPrefix(err.Error(), "schema: "))
	}
	set, err := args.Compile([]chat.Tool{q.tool}, args.Options{
		Cache: cache, Parallel: true, DropUnknown: q.drop,
		Rules: map[string]args.Rule{q.tool.Name: {Writes: q.writes, Refs: q.refs}},
	})
	if err != nil {
		return c, err
	}
	w := chat.Written{Name: q.tool.Name, JSON: q.text, Stopped: endings[q.finish].itself, Cut: endings[q.finish].cut}
	return answerOf(set.Read(w), q.verbosity), nil
}

// readInquiry reads one line of check --jsonl.
func readInquiry(line []byte) (q inquiry, err error) {
	if err := rawjson.Valid(line, rawjson.MaxDepth); err != nil {
		return q, err
	}
	if rawjson.Kind(line) != '{' {
		return q, errors.New(`it must be an object with "tool" and "arguments"`)
	}
	members, err := membersOf(line)
	if err != nil {
		return q, err
	}
	tool, ok := members["tool"]
	if !ok {
		return q, errors.New(`it has no "tool"`)
	}
	if q.tool, q.writes, err = readTool(tool); err != nil {
		return q, fmt.Errorf("the tool: %w", err)
	}
	text, ok := members["arguments"]
	if !ok {
		return q, errors.New(`it has no "arguments": a text as the model wrote it, or a JSON value`)
	}
	if q.text = text; rawjson.Kind(text) == '"' { // what the model wrote; else the value itself
		if q.text, err = rawjson.AppendUnquoted(nil, text); err != nil {
			return q, err
		}
	}
	if q.finish, err = textAt(line, "finish"); err != nil {
		return q, err
	}
	if options, ok := members["options"]; ok && rawjson.Kind(options) != 'n' {
		return q, q.options(options)
	}
	return q, nil
}

// options reads a line's options. One that isn't known is an error: misspelled,
// it would change nothing, and nobody would see it.
func (q *inquiry) options(b []byte) error {
	if rawjson.Kind(b) != '{' {
		return errors.New(`"options" must be an object`)
	}
	if _, err := membersOf(b); err != nil {
		return fmt.Errorf("the options: %w", err)
	}
	var bad error
	_ = rawjson.Members(b, func(k, v []byte) bool {
		bad = q.option(string(k), v)
		return bad == nil
	})
	if bad != nil {
		return fmt.Errorf("the options: %w", bad)
	}
	return nil
}

func (q *inquiry) option(key string, v []byte) (err error) {
	if rawjson.Kind(v) == 'n' {
		return nil
	}
	word, notText := rawjson.String(v)
	if notText != nil {
		word = string(v)
	}
	switch key {
	case "unknown_fields":
		q.drop = word == unknownDrop
		return oneOf(key, word, unknownKeep, unknownDrop)
	case "verbosity":
		q.verbosity = verbosities[word]
		return oneOf(key, word, "full", "short", "terse")
	case "refs":
		q.refs, err = listOfTexts("refs", v)
		return err
	case "write":
		if k := rawjson.Kind(v); k != 't' && k != 'f' {
			return errors.New("write must be true or false")
		}
		q.writes = rawjson.Kind(v) == 't'
		return nil
	}
	return fmt.Errorf("there is no option %.64q; there are unknown_fields, refs, verbosity, write", key)
}

// membersOf returns the members of an object, which has no key twice.
func membersOf(b []byte) (map[string][]byte, error) {
	out := map[string][]byte{}
	twice := ""
	err := rawjson.Members(b, func(k, v []byte) bool {
		if _, ok := out[string(k)]; ok {
			twice = string(k)
		}
		out[string(k)] = v
		return true
	})
	if err == nil && twice != "" {
		err = fmt.Errorf("the key %.64q stands twice", twice)
	}
	return out, err
}
