package jsonmend_test

import (
	"fmt"

	"github.com/ferrule/ferrule/jsonmend"
)

func ExampleMend() {
	r, err := jsonmend.Mend([]byte(`Here it is: {'path': "a.txt", force: False,}`), jsonmend.Options{})
	fmt.Println(string(r.Value), err)
	for _, m := range r.Repairs {
		fmt.Println(m.Repair, m.Offset)
	}
	_, err = jsonmend.Mend([]byte(`{"command": "rm -rf /tmp/build`), jsonmend.Options{})
	fmt.Println(err)
	// Output:
	// {"path":"a.txt","force":false} <nil>
	// strip_prose_before 0
	// normalise_quotes 13
	// quote_bare_keys 30
	// normalise_literals 37
	// drop_extra_comma 43
	// a string isn't finished at byte 12, at "\"rm -rf /tmp/build"
}
