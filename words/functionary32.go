package words

// functionary32 is a line with a recipient and JSON behind it: Functionary 3.2.
func functionary32() Form {
	m := &headMarks{
		call: []string{">>>"}, weak: true,
		name: func(head []headPart) (name, id string) {
			if head[0].text == "all" {
				return "", ""
			}
			return head[0].text, ""
		},
	}
	return headForm{"functionary-3.2", anywhere(m.call), m}
}
