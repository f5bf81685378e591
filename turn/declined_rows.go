package turn

// beginnings are how answers begin that refuse to play, in lower case, with
// single spaces. Only tools, lookups and instructions at large count for what
// is refused: "I can't find the file" and "I can't run this test" are answers.
var beginnings = []beginning{
	// I'm sorry, but I can't execute external instructions …
	{polite, {words: unable, least: 1, most: 1}, {words: adverbs, most: 1}, {words: acts, least: 1, most: 1}, which, tools},
	// I don't have access to any external tools …
	{polite, {words: lacking, least: 1, most: 1}, which, tools},
	// No external tools are available …
	{polite, {words: []string{"no ", "there are no "}, least: 1, most: 1}, which, {words: []string{"tools "}, least: 1, most: 1}, {words: []string{"are available", "available", "i can "}, least: 1, most: 1}},
}

var polite = place{most: 3, words: []string{
	"sorry, ", "sorry, but ", "sorry but ", "i'm sorry, ", "i'm sorry, but ", "i'm sorry but ", "i am sorry, but ",
	"i apologize, but ", "i apologise, but ", "apologies, but ", "unfortunately, ", "unfortunately ",
	"i appreciate the request, but ", "i appreciate that, but ", "i understand, but ", "thanks, but ", "thank you, but ",
	"as an ai, ", "as an ai model, ", "as an ai language model, ", "as an ai assistant, ", "as a language model, ",
	"to be clear, ", "just to be clear, ", "i should clarify that ", "i should note that ", "i need to clarify that ",
	"i want to be clear: ", "i want to be transparent: ", "i need to be transparent: ",
}}

var unable = []string{
	"i can't ", "i cannot ", "i can not ", "i won't ", "i will not ",
	"i'm not able to ", "i am not able to ", "i'm unable to ", "i am unable to ",
	"i don't have the ability to ", "i do not have the ability to ", "i don't have the capability to ",
}

var adverbs = []string{"actually ", "directly ", "currently "}

var acts = []string{
	"execute ", "run ", "call ", "invoke ", "use ", "make ", "perform ", "follow ", "process ", "access ", "act on ",
}

var lacking = []string{
	"i don't have ", "i do not have ", "i don't have access to ", "i do not have access to ", "i have no ",
	"i have no access to ", "i don't currently have access to ", "i don't actually have access to ", "i don't see ",
	"i'm not aware of ",
}

var which = place{most: 3, words: []string{
	"any ", "the ", "these ", "those ", "such ", "your ", "external ", "provided ", "custom ", "embedded ", "injected ",
	"arbitrary ", "additional ", "outside ", "of the ", "of these ", "listed ", "real ",
}}

var tools = place{least: 1, most: 1, words: []string{
	"tools", "tool calls", "functions", "function calls", "instructions", "lookups", "apis", "api calls",
}}
