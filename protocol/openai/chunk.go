package openai

// chunk is what stands in one payload of a stream, or in a whole reply. Its
// values are slices of the payload, as they stand; nil where absent or null.
// Of doubled keys the last counts, as it does for most readers.
type chunk struct {
	object     bool // the payload is an object
	id, model  []byte
	created    int64
	hasChoices bool
	choices    []choice
	usage      []byte
	fault      []byte // what says that it is an error
	message    bool   // it has a message or a detail of its own, which only errors have
}

// choice is one of the answers.
type choice struct {
	index     int
	finish    []byte
	said      bool // it has a delta
	whole     bool // it came as message, not as delta
	content   []byte
	reasoning []byte
	thoughts  []byte // reasoning under its other name
	refusal   []byte
	calls     []delta
	legacy    delta
	hasLegacy bool
}

// delta is a piece of a call.
type delta struct {
	index    int
	hasIndex bool
	id, name []byte
	args     []byte // a string, or the arguments themselves
	custom   bool   // the argument is text
	extra    []byte // extra_content
	legacy   bool
}

// readChunk reads a payload into ch, whose lists it uses again.
func readChunk(c *cursor, ch *chunk) {
	*ch = chunk{choices: ch.choices[:0]}
	ch.object = c.peek() == '{'
	for o := c.open('{'); c.member(&o); {
		switch string(o.key) {
		case "id":
			ch.id = c.text()
		case "model":
			ch.model = c.text()
		case "created":
			ch.created, _ = c.integer()
		case "object":
			if v := c.text(); string(v) == `"error"` {
				ch.fault = v
			}
		case "choices":
			ch.hasChoices = c.peek() == '['
			ch.choices = ch.choices[:0]
			for a := c.open('['); c.element(&a); {
				if len(ch.choices) == maxChoices {
					c.fail()
					break
				}
				ch.readChoice(c)
			}
		case "usage":
			if c.peek() == '{' {
				ch.usage = c.raw()
			} else {
				c.skip()
			}
		case "error":
			if v := c.raw(); len(v) > 2 && string(v) != "false" {
				ch.fault = v
			}
		case "message":
			ch.message = c.text() != nil || ch.message
		case "detail":
			ch.message = c.raw() != nil || ch.message
		default:
			c.skip()
		}
	}
	c.end()
}

// hasCalls reports whether any choice holds a piece of a call.
func (ch *chunk) hasCalls() bool {
	for i := range ch.choices {
		if x := &ch.choices[i]; len(x.calls) > 0 || x.hasLegacy {
			return true
		}
	}
	return false
}

func (ch *chunk) readChoice(c *cursor) {
	n := len(ch.choices)
	if n < cap(ch.choices) {
		ch.choices = ch.choices[:n+1]
	} else {
		ch.choices = append(ch.choices, choice{})
	}
	x := &ch.choices[n]
	*x = choice{index: n, calls: x.calls[:0]}
	for o := c.open('{'); c.member(&o); {
		switch string(o.key) {
		case "index":
			if i, ok := c.integer(); ok {
				x.index = int(i)
			}
		case "finish_reason":
			x.finish = c.text()
		case "delta":
			x.readMessage(c, false)
		case "message":
			x.readMessage(c, true)
		default:
			c.skip()
		}
	}
}

func (x *choice) readMessage(c *cursor, whole bool) {
	if c.peek() != '{' || whole && x.said {
		c.skip()
		return
	}
	*x = choice{index: x.index, finish: x.finish, calls: x.calls[:0], said: !whole, whole: whole}
	for o := c.open('{'); c.member(&o); {
		switch string(o.key) {
		case "content":
			x.content = c.raw()
		case "reasoning_content":
			x.reasoning = c.text()
		case "reasoning":
			x.thoughts = c.text()
		case "refusal":
			x.refusal = c.text()
		case "tool_calls":
			x.calls = x.calls[:0]
			for a := c.open('['); c.element(&a); {
				if len(x.calls) == maxCalls {
					c.fail()
					break
				}
				x.calls = append(x.calls, readDelta(c))
			}
		case "function_call":
			x.hasLegacy = c.peek() == '{'
			x.legacy = delta{legacy: true, hasIndex: true}
			x.legacy.readFunction(c, "arguments")
		default:
			c.skip()
		}
	}
}

func readDelta(c *cursor) delta {
	var d delta
	for o := c.open('{'); c.member(&o); {
		switch string(o.key) {
		case "index":
			var i int64
			i, d.hasIndex = c.integer()
			d.hasIndex = d.hasIndex && i >= 0 && i < maxIndex
			d.index = int(i)
		case "id":
			d.id = c.text()
		case "function":
			d.readFunction(c, "arguments")
		case "custom":
			d.custom = c.peek() == '{'
			d.readFunction(c, "input")
		case "extra_content":
			d.extra = c.raw()
		default:
			c.skip()
		}
	}
	return d
}

// What no honest upstream exceeds: the choices and the calls of an answer, and
// the index that it gives a call.
const (
	maxChoices = 128
	maxCalls   = 1024
	maxIndex   = 1 << 20
)

func (d *delta) readFunction(c *cursor, argument string) {
	d.name, d.args = nil, nil
	for o := c.open('{'); c.member(&o); {
		switch string(o.key) {
		case "name":
			d.name = c.text()
		case argument:
			d.args = c.raw()
		default:
			c.skip()
		}
	}
}
