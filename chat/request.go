// Package chat is the neutral conversation that every other package speaks:
// requests, messages, tools, calls, and the events and frames of an answer.
// It does no I/O and imports only the standard library.
package chat

import (
	"encoding/json"
	"time"
)

// Request is one client request, whatever protocol it came in.
type Request struct {
	Model    string // as the client wrote it; the upstream's own name once a target is chosen
	System   []Part // the system and developer messages that open the conversation
	Messages []Message
	Tools    []Tool
	Choice   Choice
	Parallel *bool   // nil: not said
	Format   *Format // constrained output: the client's, or ours on a retry
	Sampling Sampling
	Stream   bool
	Usage    bool  // usage is wanted in the stream
	Extra    Extra // members that Ferrule adds for one kind of server; they win over what came
	Wire     *Wire // as it came: the same protocol's codec edits Body
}

// Wire is a message as it stood on the wire.
type Wire struct {
	Protocol string
	Header   map[string][]string
	Body     []byte
	// Edited names what no longer means what Body says, so that the codec
	// rewrites those members and leaves every other byte alone.
	Edited Fields
}

// Fields is a set of groups of request members.
type Fields uint8

const (
	FieldMessages Fields = 1 << iota // System and Messages
	FieldTools                       // Tools, Choice and Parallel
	FieldFormat                      // Format
	FieldSampling                    // Sampling
	FieldStream                      // Stream and Usage
)

// Edit returns a shallow copy of q whose wire form, if any, notes that the
// given fields are about to change. The original is left as it was.
func (q *Request) Edit(f Fields) *Request {
	c := *q
	if q.Wire != nil {
		w := *q.Wire
		w.Edited |= f
		c.Wire = &w
	}
	return &c
}

// Role says who speaks a message.
type Role string

const (
	RoleSystem    Role = "system" // within the conversation; the opening ones stand in Request.System
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // its parts are Results
)

// Message is one turn's words, calls or results.
type Message struct {
	Role  Role
	Parts []Part
	Extra Extra
}

// Extra holds members of one protocol that the others don't have, under
// "protocol.field"; they come out on that protocol only.
type Extra map[string]json.RawMessage

// Part is one of Text, Image, Reasoning, Call, Result, Opaque.
type Part interface{ part() }

// Text is plain words.
type Text struct {
	Text  string
	Extra Extra
}

// Image is a picture, by URL or inline.
type Image struct {
	URL   string // as the client wrote it, data: URLs included; never fetched
	Media string // media type where known
	Data  []byte // decoded, where the protocol carries bytes
	Extra Extra
}

// Reasoning is thinking that the model showed.
type Reasoning struct {
	Text  string
	Extra Extra
}

// Call is a tool call that passed its checks, or one of the transcript.
type Call struct {
	ID, Name string
	Args     []byte // JSON, as it stood
	Extra    Extra
}

// Result answers the call with the same id.
type Result struct {
	ID    string
	Name  string // of the tool, where known
	Parts []Part // Text and Image
	Error bool
	Extra Extra
}

// Opaque is a part that only its own protocol understands.
type Opaque struct {
	Protocol string
	Raw      json.RawMessage
}

func (Text) part()      {}
func (Image) part()     {}
func (Reasoning) part() {}
func (Call) part()      {}
func (Result) part()    {}
func (Opaque) part()    {}

// Tool is a tool that the client offers.
type Tool struct {
	Name, Description string
	Schema            []byte // as the client sent it; empty: takes anything
	Kind              ToolKind
	Extra             Extra
}

// ToolKind tells whose tool it is.
type ToolKind string

const (
	ToolFunction ToolKind = "function" // the client runs it, arguments by schema
	ToolCustom   ToolKind = "custom"   // the client runs it, argument is text
	ToolHosted   ToolKind = "hosted"   // the provider runs it
)

// Choice is what the client said about which tools may or must be called.
type Choice struct {
	Mode    ChoiceMode
	Name    string   // for ChoiceNamed
	Allowed []string // non-nil: only these tools
}

// ChoiceMode is empty where the client said nothing, which means auto.
type ChoiceMode string

const (
	ChoiceAuto     ChoiceMode = "auto"
	ChoiceNone     ChoiceMode = "none"
	ChoiceRequired ChoiceMode = "required"
	ChoiceNamed    ChoiceMode = "named"
)

// Forced reports whether an answer without a call breaks the client's choice.
func (c Choice) Forced() bool { return c.Mode == ChoiceRequired || c.Mode == ChoiceNamed }

// Permits reports whether the choice lets the named tool be called.
func (c Choice) Permits(name string) bool {
	switch {
	case c.Mode == ChoiceNone:
		return false
	case c.Mode == ChoiceNamed:
		return name == c.Name
	case c.Allowed == nil:
		return true
	}
	for _, a := range c.Allowed {
		if a == name {
			return true
		}
	}
	return false
}

// Format is the form that the answer's text must have.
type Format struct {
	Type   string // text, json_object, json_schema
	Name   string
	Schema []byte
	Strict *bool
}

// Sampling is the part of the sampling settings that Ferrule acts on; the
// others travel in Wire untouched.
type Sampling struct {
	MaxTokens   *int // the limit on output tokens, under whichever name it came
	Temperature *float64
	TopP        *float64
	Stop        []string
	Choices     *int // how many answers are asked for (OpenAI's n)
}

// Fault is what went wrong, in a form that can be told to any client.
type Fault struct {
	Code, Text, Param string
	Status            int // HTTP status to answer with
	Retryable         bool
	RetryAfter        time.Duration
	Window, Prompt    int   // of a window that is too small, in tokens: its size, and what was to be read; 0: not known
	Wire              *Wire // the upstream's own answer, where there is one
}

// CodeContext is the code of a fault whose request is longer than the model's window.
const CodeContext = "context_length_exceeded"

func (f *Fault) Error() string {
	if f.Code == "" {
		return f.Text
	}
	return f.Code + ": " + f.Text
}
