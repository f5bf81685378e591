package words

import (
	"bytes"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// pythonFrame is what stands around calls that are written as Python's.
type pythonFrame struct {
	opener, closer string // "": nothing stands around them
	json           bool   // the same calls as JSON may stand there instead
	echo           bool   // behind the closer models repeat what they wrote
	suffix         string // what a tool's name ends with; without it this may be program code
}

func (f *pythonFrame) bare() bool { return f.opener == "" }

// pythonBody reads calls that are written as Python's, name(key=literal, …): a
// list of them, or one behind the other. What may be program code or prose is
// taken only as Python has it, and only where it ends the answer.
type pythonBody struct {
	frame pythonFrame
	state pyState

	pos    int // bytes had
	lead   int // where the first that isn't blank stands
	end    int // where the block ends if nothing more belongs to it
	listed bool
	ended  bool // the list was closed
	twice  bool // the opener stood twice
	call   pyCall
	raw    []byte // its bytes
	calls  []chat.Written
	tag    []byte // what may be a closer
	closed bool
	token  bool // what closed it is a control token
	unsure bool // the name of a call lacks the suffix
	broken bool // the last of the calls can't be read

	inner   *taggedJSON
	echo    echo
	repairs []string
}

type pyState uint8

const (
	pyLead   pyState = iota // before the first call
	pyFirst                 // behind the bracket of a list
	pyIn                    // in a call
	pyComma                 // behind a comma of the list
	pyGap                   // behind a call
	pyAfter                 // behind the list
	pyTag                   // in what may be a closer
	pyJunk                  // behind what can't be read, looking for the closer
	pyJSON                  // in JSON
	pyBehind                // behind the calls, where the closer should be
	pyTail                  // behind the closer
)

// newPython reads calls in a frame.
func newPython(f pythonFrame) *pythonBody { return &pythonBody{frame: f} }

// newBarePython reads calls with nothing around them that begin with the opener.
func newBarePython(opener string) *pythonBody {
	b := &pythonBody{}
	b.Feed([]byte(opener))
	return b
}

func (b *pythonBody) Feed(p []byte) (int, State) {
	before := b.pos
	for i := 0; i < len(p); {
		if b.state == pyJSON {
			n, s := b.inner.Feed(p[i:])
			if b.end = b.pos + n; s == More || !b.inner.closed || !b.frame.echo {
				b.take(p[i:])
				return b.end - before, s
			}
			b.take(p[i : i+n])
			i += n
			b.behind(len(b.frame.closer))
			continue
		}
		if b.state == pyIn {
			if n := b.call.run(p[i:]); n > 0 {
				b.take(p[i : i+n])
				i += n
				continue
			}
		}
		switch b.step(p[i]) {
		case Done:
			return b.end - before, Done
		case NotACall:
			return b.sure() - before, NotACall
		}
		b.take(p[i : i+1])
		i++
	}
	return b.upTo() - before, More
}

// take notes bytes that were had.
func (b *pythonBody) take(p []byte) {
	b.pos += len(p)
	if b.state == pyIn {
		b.raw = append(b.raw, p...)
	}
	if b.frame.echo && b.state != pyTail {
		b.echo.said = append(b.echo.said, p...)
	}
}

// sure is how far nothing can open another block. Once a call was opened that
// is all: nothing is looked at over and over.
func (b *pythonBody) sure() int {
	if len(b.calls) == 0 && !b.call.opened {
		return b.lead
	}
	return b.pos
}

// upTo is how far what was had belongs to the block, should nothing follow.
func (b *pythonBody) upTo() int {
	open := b.listed && !b.ended
	switch b.state {
	case pyAfter, pyBehind, pyTail:
		return b.end
	case pyGap:
		if !open {
			return b.end
		}
	case pyIn:
		if !open && !b.call.opened && len(b.calls) > 0 {
			return b.end
		}
	case pyTag:
		if !bytes.HasPrefix([]byte(b.frame.closer), b.tag) {
			return b.end
		}
	}
	return b.pos
}

func (b *pythonBody) End(cut bool) []chat.Written {
	open := b.listed && !b.ended
	switch {
	case b.state == pyJSON:
		return b.inner.End(cut)
	case b.inner != nil:
		return b.repaired(b.inner.End(false))
	case b.state == pyIn && (b.call.opened || open && len(b.calls) > 0):
		if b.doubtful() {
			return nil
		}
		return []chat.Written{{Name: b.written().Name, Cut: true}}
	case len(b.calls) == 0, open && b.doubtful() && (cut || b.state != pyGap || !b.frame.bare()):
		return nil
	case cut && !b.closed && !b.frame.bare():
		return []chat.Written{{Name: b.calls[0].Name, Cut: true}}
	case b.broken:
		return b.repaired(b.calls)
	}
	if open {
		b.repair("missing_bracket")
	}
	if !b.closed {
		b.missesCloser()
	}
	return b.repaired(b.calls)
}

// Where is the answer's end for what may be prose or program code.
func (b *pythonBody) Where() Where {
	if b.unsure || b.frame.bare() && !b.token {
		return AnswerEnd
	}
	return Anywhere
}

// doubtful reports whether this may yet be program code.
func (b *pythonBody) doubtful() bool {
	return b.frame.bare() || !bytes.HasSuffix(b.call.name, []byte(b.frame.suffix))
}

// written returns the call that is being read, by its tool's name.
func (b *pythonBody) written() chat.Written {
	w := b.call.written()
	if n := len(w.Name) - len(b.frame.suffix); !b.doubtful() && n > 0 {
		w.Name = w.Name[:n]
	}
	return w
}

func (b *pythonBody) repair(name string) {
	if !slices.Contains(b.repairs, name) {
		b.repairs = append(b.repairs, name)
	}
}

// missesCloser notes a frame without its closer. Where names have a suffix the
// end of the answer is the closer.
func (b *pythonBody) missesCloser() {
	switch {
	case b.frame.suffix != "":
	case !b.frame.bare():
		b.repair("missing_close")
	}
}

func (b *pythonBody) repaired(cs []chat.Written) []chat.Written {
	if b.frame.bare() && !b.listed {
		b.repairs = append([]string{"bare"}, b.repairs...)
	}
	for i := range cs {
		cs[i].Repairs = append(slices.Clone(cs[i].Repairs), b.repairs...)
	}
	return cs
}

var _ Placed = (*pythonBody)(nil)
