package words

// gemmaRows lists the forms in Gemma's own language.
func gemmaRows() []readRow {
	return []readRow{
		{form: functionGemma{}},
	}
}
