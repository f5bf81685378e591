package words_test

// How many of the negatives may be read as calls, in per cent, and how many of
// their twins must. They move only towards fewer and more.
const (
	mostInCode    = 5.0 // inline code over several paragraphs, which is none
	mostInFence   = 2.5 // blocks that take the closing fence in
	mostExamples  = 8.5 // the end of thinking stands behind the announcement
	mostEmbedded  = 7.0
	mostSubjects  = 7.0
	mostOwn       = 7.0
	mostQuestions = 0.0
	leastTwins    = 30
)
