package words

// glmBare is a name and pairs without the tag around them, as all of an answer.
type glmBare struct{}

func (glmBare) Name() string { return "glm-bare" }

func (glmBare) Openers() []Opener { return nameStarts() }

func (glmBare) Body(o Opener) Body {
	// The opener is one letter.
	return &glmBareBody{head: []byte(o.Text), pairBody: newPairs(glmTags("<tool_call>"), "<tool_call>")}
}

// glmTags are the tags of pairs within a call's tag.
func glmTags(opener string) pairTags {
	return pairTags{
		callOpen: opener, callClose: "</" + opener[1:],
		keyOpen: "<arg_key>", keyClose: "</arg_key>",
		valueOpen: "<arg_value>", valueClose: "</arg_value>",
	}
}

type glmBareBody struct {
	*pairBody
	head  []byte // the name, until its first pair begins
	begun bool
}

func (t *glmBareBody) Feed(b []byte) (int, State) {
	before := len(t.head)
	for i := 0; i < len(b) && !t.begun; i++ {
		switch t.head = append(t.head, b[i]); t.opened() {
		case not:
			return 1 - before, NotACall
		case wholly:
			t.begun = true
			if _, s := t.pairBody.Feed(t.head); s != More {
				return 1 - before, NotACall
			}
			n, s := t.pairBody.Feed(b[i+1:])
			return i + 1 + n, s
		}
	}
	if !t.begun {
		return len(b), More
	}
	return t.pairBody.Feed(b)
}

// opened reports whether a name and the tag of a key were read.
func (t *glmBareBody) opened() fit {
	n := 0
	for n < len(t.head) && wordByte(t.head[n]) {
		n++
	}
	rest := t.head[n:]
	if len(rest) > 0 && rest[0] == '\n' {
		rest = skipBlank(rest)
	}
	if len(t.head) > maxPairHead {
		return not
	}
	return fits(rest, t.tags[keyOpen], false)
}

func (t *glmBareBody) Where() Where { return AnswerEnd }

var (
	_ Form   = glmBare{}
	_ Placed = (*glmBareBody)(nil)
)
