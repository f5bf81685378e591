package demo

import (
	"strconv"
	"strings"
	"time"

	"github.com/ferrule/ferrule/rawjson"
)

// script is what a user's message tells the model to do.
type script struct {
	steps  []step
	fumble string
	always bool
	cut    bool
	pause  time.Duration
	hangUp bool
	chat   string // the lines that are no step and no switch
}

// step is one thing to do: calls to make together, or words to say.
type step struct {
	calls  []call
	say    string
	repeat bool // say the last result
}

const maxPause = 5 * time.Second

// readScript reads a user's message. A line that only looks like a step is chat.
func readScript(s string) script {
	var sc script
	var chat []string
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		trimmed := strings.TrimSpace(line)
		key, value := keyword(trimmed)
		switch key {
		case "do":
			from := s[strings.Index(s, "do ")+len("do "):]
			if st, after, ok := readCallsStep(from); ok {
				sc.steps = append(sc.steps, st)
				rest = after
			} else {
				chat = append(chat, trimmed)
			}
		case "say":
			from := s[strings.Index(s, "say ")+len("say "):]
			st, after := readSay(from)
			sc.steps = append(sc.steps, st)
			rest = after
		case "repeat":
			sc.steps = append(sc.steps, step{repeat: true})
		case "fumble":
			sc.fumble, sc.always = strings.CutSuffix(value, " always")
		case "finish":
			sc.cut = value == "length"
		case "pause":
			if n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(value, "ms"))); err == nil && n > 0 {
				sc.pause = min(time.Duration(n)*time.Millisecond, maxPause)
			}
		case "hang up":
			sc.hangUp = true
		default:
			if trimmed != "" {
				chat = append(chat, trimmed)
			}
		}
		s = rest
	}
	sc.chat = strings.Join(chat, "\n")
	return sc
}

// keyword splits a line into the word that makes it a step or a switch and
// what follows; the word is empty for chat.
func keyword(line string) (key, value string) {
	switch {
	case line == "hang up":
		return "hang up", ""
	case strings.HasPrefix(line, "repeat the result"):
		return "repeat", ""
	case strings.HasPrefix(line, "do "), strings.HasPrefix(line, "say "):
		key, value, _ = strings.Cut(line, " ")
		return key, value
	}
	for _, k := range []string{"fumble", "finish", "pause"} {
		if v, ok := strings.CutPrefix(line, k+":"); ok {
			return k, strings.TrimSpace(v)
		}
	}
	return "", ""
}

// readCallsStep reads "TOOL {…} and TOOL2 {…}" up to the end of its line.
func readCallsStep(s string) (st step, rest string, ok bool) {
	for {
		s = strings.TrimLeft(s, " \t")
		n := strings.IndexAny(s, " \t\r\n{")
		if n < 0 {
			n = len(s)
		}
		c := call{name: s[:n], args: "{}"}
		if !toolName(c.name) {
			return st, "", false
		}
		s = strings.TrimLeft(s[n:], " \t")
		if strings.HasPrefix(s, "{") {
			v, end, err := rawjson.Prefix([]byte(s))
			if err != nil {
				// It writes what it is told to, right or wrong.
				line, rest, _ := strings.Cut(s, "\n")
				c.args = strings.TrimSpace(line)
				st.calls = append(st.calls, c)
				return st, rest, true
			}
			c.args, s = string(v), strings.TrimLeft(s[end:], " \t")
		}
		st.calls = append(st.calls, c)
		if after, more := strings.CutPrefix(s, "and "); more {
			s = after
			continue
		}
		line, rest, _ := strings.Cut(s, "\n")
		// "do come in and sit down" is chat.
		return st, rest, strings.Trim(line, " \t\r.") == ""
	}
}

func toolName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !inName(r) }) < 0
}

func inName(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// readSay reads a JSON string, or what stands between <<< and >>>, or the rest of the line.
func readSay(s string) (st step, rest string) {
	if after, ok := strings.CutPrefix(s, "<<<"); ok {
		if said, rest, ok := strings.Cut(after, ">>>"); ok {
			return step{say: said}, rest
		}
		return step{say: after}, ""
	}
	if v, end, err := rawjson.Prefix([]byte(s)); err == nil && rawjson.Kind(v) == '"' {
		_, rest, _ = strings.Cut(s[end:], "\n")
		return step{say: text(v)}, rest
	}
	line, rest, _ := strings.Cut(s, "\n")
	return step{say: strings.TrimSpace(line)}, rest
}
