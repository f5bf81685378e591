package words

// tagRows are the forms whose arguments stand between tags.
func tagRows() []readRow {
	return []readRow{
		{qwenCoder{}, []string{"qwen3-coder-xml", "hermes-or-qwen3coder", "openhands-xml", "k-exaone-2"}},
		{functionJSON{}, []string{"llama-mixed"}},
		{seed{}, []string{"seed-oss-xml"}},
		{minimax{}, []string{"minimax-m2"}},
		{minimaxM3{}, []string{"minimax-m3"}},
		{dsml{}, []string{"deepseek-dsml"}},
		{step3{}, []string{"step3"}},
		{glimmer{}, []string{"glimmer-atem"}},
		{minicpm{}, []string{"minicpm5"}},
		{invoke{}, nil},
		{calling{}, []string{"hermes-or-qwen3coder"}},
	}
}
