package words

func headRows() []readRow {
	return []readRow{
		{mistral(), []string{"mistral"}},
		{kimi(), []string{"kimi-k2"}},
		{deepseek(), []string{"deepseek-v3", "deepseek-v3.1"}},
		{deepseekPlain(), nil},
		{cohere(), []string{"cohere-action"}},
		{gigachat(), []string{"gigachat3"}},
		{harmony(), []string{"harmony"}},
		{functionary32(), []string{"functionary-3.2"}},
		{solar(), []string{"solar-open"}},
	}
}
