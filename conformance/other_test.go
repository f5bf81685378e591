package conformance

import (
	"cmp"
	"os"
	"os/exec"
	"testing"
)

// run runs another language's tests, in their folder, against the gateway. Where its SDK isn't
// installed the test is skipped, but never in CI.
func run(t *testing.T, dir string, probe, tests []string) {
	t.Helper()
	env := append(os.Environ(), "FERRULE_URL="+gateway)
	command := func(args []string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Dir, c.Env = dir, env
		return c
	}
	if out, err := command(probe).CombinedOutput(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%v: %v\n%s", probe, err, out)
		}
		t.Skipf("the SDK isn't installed (.ci/run installs it): %v: %v", probe, err)
	}
	out, err := command(tests).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func TestPython(t *testing.T) {
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	run(t, "python", []string{python, "-c", "import openai"}, []string{python, "test_openai.py"})
}

func TestNode(t *testing.T) {
	run(t, "node", []string{"node", "--input-type=module", "--eval", "import 'openai'"}, []string{"node", "--test"})
}
