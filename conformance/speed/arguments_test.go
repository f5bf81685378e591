package speed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/args"
	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/schema"
)

// twenty is a tool of 20 fields and a call with all of them.
func twenty() (src, value string) {
	kinds := []struct{ schema, value string }{
		{`{"type":"string","minLength":1,"description":"A text"}`, `"some words of ordinary length"`},
		{`{"type":"integer","minimum":0,"maximum":1000}`, `42`},
		{`{"enum":["first","second","third"]}`, `"second"`},
		{`{"type":"boolean"}`, `true`},
		{`{"type":"array","items":{"type":"string"}}`, `["a","b","c"]`},
	}
	var s, v []string
	for i := range 20 {
		k := kinds[i%len(kinds)]
		s = append(s, fmt.Sprintf(`"field_%d":%s`, i, k.schema))
		v = append(v, fmt.Sprintf(`"field_%d":%s`, i, k.value))
	}
	return `{"type":"object","properties":{` + strings.Join(s, ",") + `},"required":["field_0","field_1"],"additionalProperties":false}`,
		`{` + strings.Join(v, ",") + `}`
}

// BenchmarkRead reads a call's arguments against a cached schema. Compiling the
// set is part of it in "set too": a request compiles its tools once.
func BenchmarkRead(b *testing.B) {
	src, valid := twenty()
	slips := strings.NewReplacer(`"field_1":42`, `"field_1":"42"`, `"field_2":"second"`, `"field_2":"Second"`, `"field_3":true`, `"field_3":"True"`).Replace(valid)
	tools := []chat.Tool{{Name: "twenty", Schema: []byte(src)}}
	cache := &schema.Cache{}
	compile := func(b *testing.B) *args.Set {
		set, err := args.Compile(tools, args.Options{Cache: cache})
		if err != nil {
			b.Fatal(err)
		}
		return set
	}
	for _, c := range []struct {
		name, value string
		repairs     int
		anew        bool
	}{{"valid", valid, 0, false}, {"valid, set too", valid, 0, true}, {"three normalised", slips, 3, false}} {
		b.Run(c.name, func(b *testing.B) {
			set := compile(b)
			w := chat.Written{Name: "twenty", JSON: []byte(c.value)}
			if r := set.Read(w); r.Problems != nil || len(r.Repairs) != c.repairs {
				b.Fatalf("repairs %q, problems %v", r.Repairs, r.Problems)
			}
			b.ReportAllocs()
			for b.Loop() {
				if c.anew {
					set = compile(b)
				}
				if set.Read(w).Problems != nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
