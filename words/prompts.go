package words

import (
	"bytes"
	"embed"
	"encoding/json"
	"strings"
	"text/template"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/rawjson"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.tmpl"))

// appendPrompt appends what a template says, without the line break that ends its file.
func appendPrompt(b []byte, name string, data any) []byte {
	var out bytes.Buffer
	if err := prompts.ExecuteTemplate(&out, name+".tmpl", data); err != nil {
		// The templates are ours and the snapshot tests run them all.
		return b
	}
	return append(b, bytes.TrimRight(out.Bytes(), "\n")...)
}

// docs is what contract templates see.
type docs struct {
	Tools    []string // one JSON line each
	Toolset  string
	Parallel bool

	How, Several string // how a call is written, and how several are
	Shape        string // of a call
	Of, Example  string // a worked call, and whose; "": none
}

func docsOf(d Docs) docs {
	out := docs{Toolset: d.Toolset, Parallel: d.Parallel}
	for _, t := range d.Tools {
		out.Tools = append(out.Tools, toolLine(t))
	}
	return out
}

// toolLine is a tool's definition as one line of JSON, in the form in which
// models are used to see it. It can't hold the closing tag of the list.
func toolLine(t chat.Tool) string {
	b := rawjson.AppendString([]byte(`{"type":"function","function":{"name":`), t.Name)
	if t.Description != "" {
		b = rawjson.AppendString(append(b, `,"description":`...), t.Description)
	}
	b = append(b, `,"parameters":`...)
	var schema bytes.Buffer
	if len(t.Schema) == 0 || json.Compact(&schema, t.Schema) != nil {
		schema.Reset()
		schema.WriteString(`{"type":"object","properties":{}}`)
	}
	b = append(append(b, schema.Bytes()...), "}}"...)
	return strings.ReplaceAll(string(b), "</tools", `<\/tools`)
}

// policy is what tail templates see.
type policy struct {
	Named    string // the one tool that must be called
	Required bool   // some tool must be called
	Which    string // for Required: "a tool", or the names to choose from
	Only     string // the names that the choice leaves; "" where it leaves all
	Dropped  bool
	Shape    string // of a call
}

// Forced reports whether an answer without a call breaks the policy.
func (p policy) Forced() bool { return p.Named != "" || p.Required }

// Policy reports whether there is something to say before the wanted shape.
func (p policy) Policy() bool { return p.Forced() || p.Only != "" }

func policyOf(t Tail) policy {
	p := policy{Dropped: t.Dropped}
	if t.Choice.Allowed != nil {
		var names []string
		for _, tool := range t.Tools {
			names = append(names, tool.Name)
		}
		p.Only = strings.Join(names, ", ")
	}
	switch t.Choice.Mode {
	case chat.ChoiceNamed:
		p.Named = t.Choice.Name
	case chat.ChoiceRequired:
		p.Required = true
		p.Which = "a tool"
		if p.Only != "" {
			p.Which = "one of " + p.Only
		}
	}
	return p
}
