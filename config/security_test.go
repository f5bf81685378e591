package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ferrule/ferrule/config"
)

// Listening beyond loopback needs client keys, whichever way the address is
// written and wherever it was said.
func TestListenBeyondLoopback(t *testing.T) {
	const keys = "keys: [{ name: ci, hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }]\n"
	for addr, alone := range map[string]bool{
		"127.0.0.1:8787": true, "localhost:8787": true, "[::1]:8787": true, "127.9.9.9:1": true, "127.0.0.1:0": true,
		"0.0.0.0:8787": false, ":8787": false, "[::]:8787": false, "192.168.0.5:8787": false,
		"ferrule.lan:8787": false, "localhost.evil.example:1": false, "[::ffff:10.0.0.1]:1": false,
	} {
		for _, with := range []string{"", keys} {
			c, err := config.Parse([]byte(with+"listen: '"+addr+"'\n"), env())
			if err != nil {
				t.Fatal(err)
			}
			flagged, err := config.Parse([]byte(with), env())
			if err != nil {
				t.Fatal(err)
			}
			flagged.ListenOn(addr)
			for where, c := range map[string]*config.Config{"in the file": c, "by the flag": flagged} {
				err := c.CheckListen()
				if ok := alone || with != ""; (err == nil) != ok {
					t.Errorf("%s %s, keys: %v: %v, want it taken: %v", addr, where, with != "", err, ok)
				}
				var e *config.Error
				if err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), "add keys, or listen on 127.0.0.1")) {
					t.Errorf("%s: %v doesn't say what to do", addr, err)
				}
			}
		}
	}
}
