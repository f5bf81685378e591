package history

import (
	_ "embed"
	"strings"

	"github.com/ferrule/ferrule/chat"
)

// What models read of a rewrite, each text one line of a file beside this one.
// None shows a form of a call that a model could write in place of one.

//go:embed texts/no_result.md
var noResultText string

//go:embed texts/no_output.md
var noOutputText string

//go:embed texts/understood.md
var understoodText string

//go:embed texts/one_moment.md
var oneMomentText string

//go:embed texts/goes_on.md
var goesOnText string

//go:embed texts/see_picture.md
var seePictureText string

//go:embed texts/picture.md
var pictureText string

//go:embed texts/orphan.md
var orphanText string

//go:embed texts/call.md
var callText string

//go:embed texts/end.md
var endText string

var (
	endOfResult = strings.TrimSpace(endText)
	noResult    = strings.TrimSpace(noResultText)
	noOutput    = strings.TrimSpace(noOutputText)
	understood  = strings.TrimSpace(understoodText)
	oneMoment   = strings.TrimSpace(oneMomentText)
	goesOn      = strings.TrimSpace(goesOnText)
	seePicture  = strings.TrimSpace(seePictureText)
)

// The words that labels have for what a tool answered.
const (
	resultWord = "result"
	errorWord  = "error"
)

// filled in a label are what a tool answered, its name, its arguments and its id.
func label(text string, failed bool, name, args, id string) string {
	word := resultWord
	if failed {
		word = errorWord
	}
	return strings.NewReplacer("{result}", word, "{tool}", name, "{arguments}", args, "{id}", id).Replace(strings.TrimSpace(text))
}

func orphanLabel(failed bool) string { return label(orphanText, failed, "", "", "") }

func callLabel(c chat.Call, failed bool) string {
	args := strings.TrimSpace(string(c.Args))
	if args == "" {
		args = "{}"
	}
	return label(callText, failed, c.Name, args, c.ID)
}

func pictureLabel(r chat.Result) string { return label(pictureText, r.Error, r.Name, "", r.ID) }
