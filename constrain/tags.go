package constrain

import (
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/rawjson"
)

// asTags says where calls begin, what stands in them and where they end, and
// leaves the words around them free unless a call must come.
func asTags(q *chat.Request, c Constraint, fs []frame, _ profile.Form) (*chat.Request, bool) {
	trigger := triggerOf(fs)
	if trigger == "" {
		return nil, false
	}
	b := []byte(`{"type":"structural_tag","format":{"type":"triggered_tags","triggers":[`)
	b = append(rawjson.AppendString(b, trigger), `],"tags":[`...)
	for i, f := range fs {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(append(b, `{"type":"tag","begin":`...), f.begin)
		b = append(b, `,"content":{"type":"json_schema","json_schema":`...)
		b = append(b, sourceOf(f.tool.Schema)...)
		b = append(rawjson.AppendString(append(b, `},"end":`...), f.end), '}')
	}
	b = append(b, `],"at_least_one":`...)
	b = appendBool(b, c.Forced)
	b = appendBool(append(b, `,"stop_after_first":`...), c.Forced && c.Calls == 1)
	return with(q, "response_format", append(b, "}}"...)), true
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// triggerOf is the mark that begins a call to whichever tool, "" where there is
// none that couldn't begin something else too.
func triggerOf(fs []frame) string {
	if !allKnown(fs) {
		return ""
	}
	common := fs[0].begin
	for _, f := range fs {
		for !strings.HasPrefix(f.begin, common) {
			common = common[:len(common)-1]
		}
	}
	if i := strings.IndexAny(common, "\n{\""); i >= 0 {
		common = common[:i]
	}
	return strings.TrimRight(common, " ")
}
