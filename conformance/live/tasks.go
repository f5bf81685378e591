// Package live asks a real model, behind a real server, to call tools: in each
// call syntax through a gateway, and with the server's own tool calling without
// one. It informs, it isn't a gate: the run itself stands behind the build tag
// live and needs a server (make live).
package live

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed testdata
var data embed.FS

// Task is a question that takes calls of tools, and what counts as right.
type Task struct {
	ID, Group, Ask string
	Want           []Want
}

// Want is one call, each argument with the values that are right for it.
type Want struct {
	Name      string
	Arguments map[string][]any
}

// Call is a call that a client got.
type Call struct{ Name, Arguments string }

// Tasks reads the tasks, in order: those of a group stand together, so that a
// server can keep what it read of their tools.
func Tasks() ([]Task, error) {
	b, err := data.ReadFile("testdata/tasks.jsonl")
	if err != nil {
		return nil, err
	}
	var ts []Task
	for line := range bytes.Lines(b) {
		var t Task
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("read the tasks: %w", err)
		}
		ts = append(ts, t)
	}
	return ts, nil
}

// Tools reads each group's tools, as OpenAI's protocol has them.
func Tools() (map[string]json.RawMessage, error) {
	b, err := data.ReadFile("testdata/tools.json")
	if err != nil {
		return nil, err
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	return m, nil
}
