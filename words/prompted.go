package words

// Prompted is a Form of models whose prompt ends within the form, so that their
// answers begin in the midst of it: read where such a model is known to answer.
type Prompted interface{ Prompted() Form }

// prompted is the form as the answers of its own models have it.
func prompted(f Form) Form {
	if p, ok := f.(Prompted); ok {
		return p.Prompted()
	}
	return f
}

// nameStarts are openers for an answer that begins with a call's name: each
// letter with which a name begins.
func nameStarts() (os []Opener) {
	const letters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for i := range len(letters) {
		os = append(os, Opener{letters[i : i+1], AnswerStart})
	}
	return os
}
