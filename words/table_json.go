package words

// jsonRows lists the forms of JSON calls behind a mark.
func jsonRows() []readRow {
	return []readRow{
		{toolCalls(), []string{"hunyuan-a13b", "jamba", "minimax-m1", "apriel"}},
		{granite(), []string{"granite3"}},
		{graniteFunction(), []string{"granite-20b-fc"}},
		{functools{}, []string{"phi4-mini", "firefunction"}},
		{llama(), []string{"llama3-json", "llama-mixed"}},
		{apertus(), []string{"apertus"}},
		{internlm(), []string{"internlm2"}},
		{nemotron(), []string{"nemotron-toolcall"}},
		{bracketJSON{}, nil},
	}
}
