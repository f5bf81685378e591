package words

// tagRows are the forms whose arguments stand between tags.
func tagRows() []readRow {
	return []readRow{
		{form: functionJSON{}, families: []string{"llama-mixed"}},
		{form: seed{}, families: []string{"seed-oss-xml"}},
		{form: minimaxM3{}, families: []string{"minimax-m3"}},
		{form: dsml{}, families: []string{"deepseek-dsml"}},
		{form: step3{}, families: []string{"step3"}},
		{form: glimmer{}, families: []string{"glimmer-atem"}},
		{form: minicpm{}, families: []string{"minicpm5"}},
		{form: kimi3{}, families: []string{"kimi-k3"}},
		{form: toolTags{}, families: []string{"cline", "roo"}},
		{form: invoke{}},
		{form: calling{}, families: []string{"hermes-or-qwen3coder"}},
	}
}
