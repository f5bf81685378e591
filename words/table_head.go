package words

func headRows() []readRow {
	return []readRow{
		{form: deepseekPlain()},
		{form: cohere(), families: []string{"cohere-action"}},
		{form: cohereFence{}, families: []string{"command-r-plus"}},
		{form: react{}, families: []string{"react"}},
		{form: gigachat(), families: []string{"gigachat3"}},
		{form: newFunctionary32(), families: []string{"functionary-3.2"}},
		{form: solar(), families: []string{"solar-open"}},
	}
}
