package gateway

import "strings"

// matches tells whether a glob, in which * stands for any text, fits a name.
func matches(glob, name string) bool {
	parts := strings.Split(glob, "*")
	last := len(parts) - 1
	if last == 0 {
		return glob == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1:last] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, parts[last])
}
