package history

import (
	"crypto/sha256"
	"slices"

	"github.com/ferrule/ferrule/chat"
)

// What is said where nobody said anything.
const (
	noResult  = "No result was recorded."
	orphan    = "[result of an earlier tool call, shown as data]\n"
	ofTheCall = "[image returned by the tool call "
)

// calls are those of a message, in order.
func calls(m chat.Message) (cs []chat.Call) {
	for _, p := range m.Parts {
		if c, ok := p.(chat.Call); ok {
			cs = append(cs, c)
		}
	}
	return cs
}

// answers are the ids that a message has results for.
func answers(m chat.Message) (ids []string) {
	for _, p := range m.Parts {
		if r, ok := p.(chat.Result); ok {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// isResults reports whether a message is nothing but results.
func isResults(m chat.Message) bool {
	return len(m.Parts) > 0 && len(answers(m)) == len(m.Parts)
}

// resultsFirst moves what stands between calls and their results behind those.
func (h *shaping) resultsFirst() (changed bool) {
	for i := range h.ms {
		cs := calls(h.ms[i])
		if h.ms[i].Role != chat.RoleAssistant || len(cs) == 0 {
			continue
		}
		end := i + 1 // behind the results that stand where they should
		for j := i + 1; j < len(h.ms) && h.ms[j].Role != chat.RoleAssistant; j++ {
			mine := isResults(h.ms[j]) && slices.ContainsFunc(cs, func(c chat.Call) bool { return slices.Contains(answers(h.ms[j]), c.ID) })
			if !mine {
				continue
			}
			if j > end {
				m := h.ms[j]
				h.ms = slices.Insert(slices.Delete(h.ms, j, j+1), end, m)
				for k := end + 1; k <= j; k++ { // a note of the system is one of the user now
					if h.ms[k].Role == chat.RoleSystem {
						h.ms[k].Role = chat.RoleUser
					}
				}
				changed = true
			}
			end++
		}
	}
	return changed
}

// answerCalls answers each call that has no result before the next turn of the
// assistant.
func (h *shaping) answerCalls() (changed bool) {
	for i := 0; i < len(h.ms); i++ {
		if h.ms[i].Role != chat.RoleAssistant || i == len(h.ms)-1 {
			continue
		}
		var have []string
		end := i + 1
		for end < len(h.ms) && isResults(h.ms[end]) {
			have = append(have, answers(h.ms[end])...)
			end++
		}
		for _, c := range calls(h.ms[i]) {
			if slices.Contains(have, c.ID) {
				continue
			}
			h.ms = slices.Insert(h.ms, end, chat.Message{Role: chat.RoleTool, Parts: []chat.Part{
				chat.Result{ID: c.ID, Name: c.Name, Parts: []chat.Part{chat.Text{Text: noResult}}},
			}})
			end++
			changed = true
		}
	}
	return changed
}

// orphansToText makes data of results whose call isn't there.
func (h *shaping) orphansToText() (changed bool) {
	open := map[string]bool{}
	for i := range h.ms {
		m := &h.ms[i]
		if m.Role == chat.RoleAssistant {
			open = map[string]bool{}
			for _, c := range calls(*m) {
				open[c.ID] = true
			}
			continue
		}
		for j, p := range m.Parts {
			r, ok := p.(chat.Result)
			if !ok || open[r.ID] {
				continue
			}
			changed = true
			m.Parts[j] = chat.Text{Text: orphan + words(r.Parts)}
			m.Role = chat.RoleUser
		}
	}
	return changed
}

// words are the texts of some parts.
func words(parts []chat.Part) string {
	var out []byte
	for _, p := range parts {
		if t, ok := p.(chat.Text); ok {
			if len(out) > 0 {
				out = append(out, '\n')
			}
			out = append(out, t.Text...)
		}
	}
	return string(out)
}

// flattenWithoutTools writes calls and results as words where the request has no tools.
func (h *shaping) flattenWithoutTools() bool {
	return len(h.q.Tools) == 0 && h.toolsToText()
}

// toolsToText writes calls and results as words.
func (h *shaping) toolsToText() (changed bool) {
	for i := range h.ms {
		m := &h.ms[i]
		var parts []chat.Part
		for _, p := range m.Parts {
			switch p := p.(type) {
			case chat.Call:
				changed = true
				parts = append(parts, chat.Text{Text: "[called " + p.Name + " with " + string(p.Args) + "]"})
			case chat.Result:
				changed = true
				m.Role = chat.RoleUser
				parts = append(parts, chat.Text{Text: "[result of " + p.Name + ", shown as data]\n" + words(p.Parts)})
				parts = append(parts, pictures(p.Parts)...)
			default:
				parts = append(parts, p)
			}
		}
		m.Parts = parts
	}
	return changed
}

func pictures(parts []chat.Part) (out []chat.Part) {
	for _, p := range parts {
		if i, ok := p.(chat.Image); ok {
			out = append(out, i)
		}
	}
	return out
}

// oneCall splits several calls of one turn into several turns, each with its result.
func (h *shaping) oneCall() (changed bool) {
	for i := 0; i < len(h.ms); i++ {
		cs := calls(h.ms[i])
		if len(cs) < 2 {
			continue
		}
		end := i + 1
		var results []chat.Part
		for ; end < len(h.ms) && isResults(h.ms[end]); end++ {
			results = append(results, h.ms[end].Parts...)
		}
		turns := split(h.ms[i], cs, results)
		h.ms = slices.Replace(h.ms, i, end, turns...)
		i += len(turns) - 1
		changed = true
	}
	return changed
}

// split makes a turn of each of a message's calls, with the first of the results
// that is its own behind it; what is left over stands at the end.
func split(m chat.Message, cs []chat.Call, results []chat.Part) (turns []chat.Message) {
	kept := false
	m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p chat.Part) bool {
		_, call := p.(chat.Call)
		again := call && kept
		kept = kept || call
		return again
	})
	for k, c := range cs {
		if k > 0 {
			m = chat.Message{Role: chat.RoleAssistant, Parts: []chat.Part{c}}
		}
		turns = append(turns, m)
		if at := slices.IndexFunc(results, func(p chat.Part) bool { return p.(chat.Result).ID == c.ID }); at >= 0 {
			turns = append(turns, chat.Message{Role: chat.RoleTool, Parts: []chat.Part{results[at]}})
			results = slices.Delete(slices.Clone(results), at, at+1)
		}
	}
	for _, r := range results {
		turns = append(turns, chat.Message{Role: chat.RoleTool, Parts: []chat.Part{r}})
	}
	return turns
}

// picturesOut shows the pictures of results in a user's turn behind them.
func (h *shaping) picturesOut() (changed bool) {
	for i := 0; i < len(h.ms); i++ {
		if !isResults(h.ms[i]) {
			continue
		}
		var shown []chat.Part
		end := i
		for ; end < len(h.ms) && isResults(h.ms[end]); end++ {
			for j, p := range h.ms[end].Parts {
				r := p.(chat.Result)
				ps := pictures(r.Parts)
				if len(ps) == 0 {
					continue
				}
				shown = append(append(shown, chat.Text{Text: ofTheCall + r.ID + "]"}), ps...)
				r.Parts = slices.DeleteFunc(slices.Clone(r.Parts), func(p chat.Part) bool { _, ok := p.(chat.Image); return ok })
				h.ms[end].Parts[j] = r
			}
		}
		if len(shown) > 0 {
			h.ms = slices.Insert(h.ms, end, chat.Message{Role: chat.RoleUser, Parts: shown})
			changed = true
		}
		i = end
	}
	return changed
}

// idsNine gives calls and results ids of nine letters and digits: their own
// where they are, else one made of it.
func (h *shaping) idsNine() (changed bool) {
	taken := map[string]string{} // whose each id is
	ids := map[string]string{}
	for _, m := range h.ms {
		for _, c := range calls(m) {
			if nine(c.ID) {
				taken[c.ID] = c.ID
			}
		}
	}
	to := func(id string) string {
		if nine(id) {
			return id
		}
		if made, ok := ids[id]; ok {
			return made
		}
		made := nineOf(id)
		for salt := id; taken[made] != "" && taken[made] != id; {
			salt += "+"
			made = nineOf(salt)
		}
		taken[made], ids[id] = id, made
		changed = true
		return made
	}
	for i := range h.ms {
		for j, p := range h.ms[i].Parts {
			switch p := p.(type) {
			case chat.Call:
				p.ID = to(p.ID)
				h.ms[i].Parts[j] = p
			case chat.Result:
				p.ID = to(p.ID)
				h.ms[i].Parts[j] = p
			}
		}
	}
	return changed
}

func nine(id string) bool {
	if len(id) != 9 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func nineOf(id string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sum := sha256.Sum256([]byte(id))
	out := make([]byte, 9)
	for i := range out {
		out[i] = letters[int(sum[i])%len(letters)]
	}
	return string(out)
}
