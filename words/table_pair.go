package words

// pairRows lists the forms of a name and pairs of keys and values in tags.
func pairRows() []readRow {
	return []readRow{
		{form: lagunaPairs{}, families: []string{"laguna-arg-key"}},
		{form: hunyuanHy3{}},
		{form: glmBare{}, families: []string{"glm-arg-key"}},
		{form: longcat{}},
	}
}
