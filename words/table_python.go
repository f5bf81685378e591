package words

func pythonRows() []readRow {
	return []readRow{
		{form: lfm2{}, families: []string{"lfm2"}},
		{form: olmo3{}, families: []string{"olmo3"}},
		{form: toolCode{}, families: []string{"gemma3"}},
		{form: nexus{}, families: []string{"nexus-raven"}},
		{form: pythonTag{}, families: []string{"llama-mixed", "llama3-json"}},
	}
}
