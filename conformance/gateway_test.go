// Package conformance runs the official SDKs, unmodified, against a running gateway.
package conformance

import (
	"bufio"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// gateway is the address of the running program, like http://127.0.0.1:1234.
var gateway string

func TestMain(m *testing.M) {
	code, err := withGateway(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withGateway builds the program, serves the demo models on a free port, runs f
// and stops it.
func withGateway(f func() int) (int, error) {
	dir, err := os.MkdirTemp("", "ferrule")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	bin := filepath.Join(dir, "ferrule")
	build := exec.Command("go", "build", "-o", bin, "./cmd/ferrule")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	config := filepath.Join(dir, "ferrule.yaml")
	sloppy := httptest.NewServer(http.HandlerFunc(sloppyUpstream))
	defer sloppy.Close()
	text := "listen: 127.0.0.1:0\nproviders:\n  sloppy: { protocol: openai, url: " + sloppy.URL + "/v1, tools: native, models: { m: {}, leak: {} } }\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return 1, err
	}
	cmd := exec.Command(bin, "serve", "--config", config)
	cmd.Env = append(os.Environ(), "FERRULE_HOME="+dir)
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return 1, err
	}
	defer log.Close()
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if gateway = address.FindString(lines.Text()); gateway != "" {
			break
		}
	}
	if gateway == "" {
		text, _ := os.ReadFile(log.Name())
		return 1, fmt.Errorf("the program named no address:\n%s", text)
	}
	go func() { // the pipe must not fill
		for lines.Scan() {
		}
	}()
	return f(), nil
}
