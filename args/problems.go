package args

import (
	"fmt"
	"time"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/schema"
)

// The classes of a call that can't be run, as the model is told.
const (
	Invalid    = "ToolArgumentsInvalid"
	Unreadable = "ToolArgumentsUnreadable"
	Cut        = "ToolArgumentsCut"
	NotFound   = "ToolNotFound"
	NotGranted = "ToolNotGranted"
)

// The buckets of malformed attempts, as reports count them.
const (
	BucketChannel   = "wrong_channel"
	BucketFrame     = "bad_frame"
	BucketJSON      = "bad_json"
	BucketName      = "unknown_name"
	BucketSchema    = "schema_mismatch"
	BucketTruncated = "truncated"
)

// Problems is a call that can't be run, and all that is known of why.
type Problems struct {
	Class, Bucket string
	Tool          string       // the offered tool's name; "" where none was found
	Written       chat.Written // as the model wrote it
	Why           string       // what can't be read, in a few words
	List          []schema.Problem
	Near          []string // names like the one that isn't known, or those that it may mean
	Ambiguous     bool     // the name means each of Near
	Tools         []string // the tools that can be called
	Signature     string   // of the tool's arguments
	Example       []byte   // arguments that would pass; nil where none was found
	// Repeat says that the call is the same as one that was refused before.
	Repeat bool
}

// Severity says whether asking again can help.
type Severity string

const (
	Recoverable Severity = "recoverable"
	Fatal       Severity = "fatal" // whatever is sent will be refused
)

// Category says of what kind the reason is. What this package refuses is the
// first or the third; a tool that ran may fail for the others.
type Category string

const (
	Validation Category = "validation" // the call itself
	Transient  Category = "transient"  // it may pass later
	Permission Category = "permission" // it isn't allowed
	Business   Category = "business"   // the tool's own rules
)

// Severity is fatal where there is no tool to call, or the tool takes nothing.
func (p *Problems) Severity() Severity {
	switch p.Class {
	case NotFound, NotGranted:
		if len(p.Tools) == 0 {
			return Fatal
		}
	case Invalid:
		for _, q := range p.List {
			if q.Pointer == "" && (q.Keyword == "false" || q.Keyword == "schema") {
				return Fatal
			}
		}
	}
	return Recoverable
}

// Category is permission for a tool that isn't granted, else validation.
func (p *Problems) Category() Category {
	if p.Class == NotGranted {
		return Permission
	}
	return Validation
}

// Retryable reports whether the model may be asked again.
func (p *Problems) Retryable() bool { return p.Severity() == Recoverable }

// RetryAfter is how long to wait before that. It is 0, at once: nothing that is
// refused here passes by waiting.
func (p *Problems) RetryAfter() time.Duration { return 0 }

// Error is one line, for people.
func (p *Problems) Error() string {
	if p.Repeat {
		return p.reason() + " (the same call as before)"
	}
	return p.reason()
}

func (p *Problems) reason() string {
	switch {
	case p.Class == NotFound && p.Written.Name == "":
		return "the call names no tool"
	case p.Class == NotFound && p.Ambiguous:
		return fmt.Sprintf("the tool name %.64q may mean each of %v", p.Written.Name, p.Near)
	case p.Class == NotFound:
		return fmt.Sprintf("there is no tool %.64q", p.Written.Name)
	case p.Class == NotGranted:
		return fmt.Sprintf("the tool %q may not be called here", p.Tool)
	case p.Class == Cut && p.Written.Name == "":
		return "a call was cut off"
	case p.Class == Cut:
		return fmt.Sprintf("the call to %.64q was cut off", p.Written.Name)
	case p.Class == Unreadable && p.Tool == "":
		return "a call can't be read: " + p.Why
	case p.Class == Unreadable:
		return fmt.Sprintf("the arguments of %q can't be read: %s", p.Tool, p.Why)
	}
	first := ""
	if len(p.List) > 0 {
		f := lineOf(p.List[0])
		first = ": " + f.Name + f.Text
	}
	if n := len(p.List); n > 1 {
		first += fmt.Sprintf(" (and %d more)", n-1)
	}
	return fmt.Sprintf("the arguments of %q don't fit%s", p.Tool, first)
}

var _ error = (*Problems)(nil)
