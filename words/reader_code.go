package words

// inCode reports whether what follows a text stands in its inline code, or in a
// fence of its own.
func inCode(text []byte) bool {
	fence, ticks, head := 0, 0, true
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\n' {
			if head {
				ticks = 0
			}
			head = true
			continue
		}
		if c != '`' && (c != '~' || !head) {
			head = head && blank(c)
			continue
		}
		n := runOf(text[i:])
		switch {
		case head && n >= 3 && fence == 0:
			fence = n
		case head && n >= fence && fence > 0:
			fence = 0
		case fence > 0 || c == '~':
		case ticks == 0:
			ticks = n
		case ticks == n:
			ticks = 0
		}
		i, head = i+n-1, false
	}
	return fence > 0 || ticks > 0
}
