package words

// functionary32 is a line with a recipient behind a mark, and JSON: Functionary
// 3.2, whose prompt ends with the first mark.
type functionary32 struct{ channelForm }

const (
	functionaryMark = ">>>"
	functionaryUser = "all\n" // words for the user
)

func newFunctionary32() functionary32 {
	openers := []Opener{{Text: functionaryMark, Where: Anywhere}}
	return functionary32{functionaryForm(openers, functionaryMark+functionaryUser)}
}

func (functionary32) Prompted() Form {
	openers := append(nameStarts(), Opener{Text: functionaryMark, Where: Anywhere})
	return functionaryForm(openers, functionaryMark+functionaryUser, functionaryUser)
}

func functionaryForm(openers []Opener, toUser ...string) channelForm {
	m := &headMarks{call: []string{functionaryMark}, weak: true, name: firstPart}
	return channelForm{headForm{"functionary-3.2", openers, m}, []channel{{openers: toUser}}}
}

var (
	_ Form     = functionary32{}
	_ Prompted = functionary32{}
)
