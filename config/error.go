package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Error is a fault in the file, and where.
type Error struct {
	File    string
	Line    int // from 1; 0: of no one line
	Text    string
	Excerpt string // the line, credentials hidden
}

func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d", s, e.Line)
	}
	if s != "" {
		s += ": "
	}
	s += e.Text
	if e.Excerpt != "" {
		s += fmt.Sprintf("\n  %d | %s", e.Line, e.Excerpt)
	}
	return s
}

// mark is a place in a file.
type mark struct {
	file    string
	line    int
	excerpt string
}

func (m mark) fault(format string, args ...any) *Error {
	return &Error{File: m.file, Line: m.line, Text: fmt.Sprintf(format, args...), Excerpt: m.excerpt}
}

// A credential may stand in the file as it is; an error goes to logs and screens.
var credential = regexp.MustCompile(`((?:^|[\s{,])["']?(?:fence_)?key["']?\s*:\s*)([^\s,}#][^,}#]*)`)

var userinfo = regexp.MustCompile(`//[^/@\s]*@`)

// excerpt returns the line from 1, with credentials hidden and control characters out.
func excerpt(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	s := strings.TrimRight(lines[line-1], " \t\r")
	s = credential.ReplaceAllStringFunc(s, func(m string) string {
		parts := credential.FindStringSubmatch(m)
		if v := parts[2]; strings.HasPrefix(strings.Trim(v, `"' `), "${") || strings.HasPrefix(v, "{") {
			return m
		}
		return parts[1] + hidden
	})
	s = userinfo.ReplaceAllString(s, "//"+hidden+"@")
	const widest = 160
	r := []rune(strings.ToValidUTF8(s, "\ufffd"))
	if len(r) > widest {
		r = append(r[:widest], '…')
	}
	return strings.Map(func(c rune) rune {
		if c == '\t' {
			return ' '
		}
		if c < ' ' || c == 0x7f {
			return '\ufffd'
		}
		return c
	}, string(r))
}
