package words

import "slices"

// Resolve returns which syntax to ask for and whose forms to read beside it, by
// names of which each may be a syntax's or a family's: the first that can be
// asked for, and the first that is a family's or a form that is only read. ""
// stands for the default, and for no family.
func Resolve(names ...string) (syntax, family string) {
	written := table()
	for _, name := range names {
		at := slices.IndexFunc(written, func(r row) bool { return r.syntax.Name() == name })
		if at < 0 {
			at = slices.IndexFunc(written, func(r row) bool { return slices.Contains(r.families, name) })
			if family == "" && (at >= 0 || isRead(name)) {
				family = name
			}
		}
		if at >= 0 && syntax == "" {
			syntax = written[at].syntax.Name()
		}
	}
	return syntax, family
}

// isRead reports whether a form that is read, or a family that it is read for,
// has a name.
func isRead(name string) bool {
	return slices.ContainsFunc(readRows(), func(r readRow) bool {
		return r.form.Name() == name || slices.Contains(r.families, name)
	})
}

// Known lists the names that Resolve knows.
func Known() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range Syntaxes() {
		add(s.Name)
		for _, f := range s.Families {
			add(f)
		}
	}
	return names
}
