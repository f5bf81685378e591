package jsonmend

// Repair names one thing that is mended. The names are in metrics and logs.
type Repair string

// Around the value.
const (
	StripBOM            Repair = "strip_bom"
	OddSpaces           Repair = "odd_spaces"
	StripFence          Repair = "strip_code_fence"
	StripToken          Repair = "strip_token"        // <|im_end|>, </tool_call>
	StripThinking       Repair = "strip_thinking"     // a closed block of thinking in front
	StripProseBefore    Repair = "strip_prose_before" // Dropped has the words
	StripProseAfter     Repair = "strip_prose_after"  // likewise
	StripCall           Repair = "strip_call"         // name({…}): Dropped has the name
	UnwrapDoubleEncoded Repair = "unwrap_double_encoded"
)

// Between values.
const (
	StripComment      Repair = "strip_comment"
	DropComma         Repair = "drop_extra_comma" // trailing, leading or doubled
	InsertComma       Repair = "insert_comma"
	FullWidth         Repair = "full_width_punctuation"
	CloseContainers   Repair = "close_containers"
	MissingCloser     Repair = "insert_missing_closer"
	MismatchedCloser  Repair = "fix_mismatched_closer"
	ExtraCloser       Repair = "drop_extra_closer"
	TupleToList       Repair = "tuple_to_list"
	QuoteKeys         Repair = "quote_bare_keys"
	NormaliseQuotes   Repair = "normalise_quotes" // single, smart, back or triple
	NormaliseLiterals Repair = "normalise_literals"
	NormaliseNumbers  Repair = "normalise_numbers" // +1 .5 5. 1_000
)

// Inside strings.
const (
	EscapeControlChars Repair = "escape_control_chars"
	EscapeInnerQuotes  Repair = "escape_inner_quotes"
	KeepBackslash      Repair = "keep_backslash"
	UnescapeQuote      Repair = "unescape_quote" // \' in a string
	JoinStrings        Repair = "join_strings"   // "a" + "b"
)

// Repairs lists them all.
func Repairs() []Repair {
	return []Repair{
		StripBOM, OddSpaces, StripFence, StripToken, StripThinking, StripProseBefore, StripProseAfter, StripCall, UnwrapDoubleEncoded, StripComment, DropComma, InsertComma, FullWidth, CloseContainers, MissingCloser, MismatchedCloser, ExtraCloser, TupleToList, QuoteKeys, NormaliseQuotes, NormaliseLiterals, NormaliseNumbers, EscapeControlChars, EscapeInnerQuotes, KeepBackslash, UnescapeQuote, JoinStrings,
	}
}
