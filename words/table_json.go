package words

// jsonRows lists the forms of JSON calls behind a mark.
func jsonRows() []readRow {
	return []readRow{
		{form: toolCalls(), families: []string{"hunyuan-a13b", "jamba", "minimax-m1", "apriel"}},
		{form: graniteFunction(), families: []string{"granite-20b-fc"}},
		{form: functools{}, families: []string{"phi4-mini", "firefunction"}},
		{form: apertus(), families: []string{"apertus"}},
		{form: internlm(), families: []string{"internlm2"}},
		{form: nemotron(), families: []string{"nemotron-toolcall"}},
		{form: bracketJSON{}},
		{form: nameJSON{}},
	}
}
