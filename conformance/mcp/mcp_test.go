//go:build mcp

// Package mcp sends the tools of published MCP servers, run for real, through
// every schema dialect: make mcp. It needs npm and its registry, and is no part
// of the gate. Nothing of the servers' texts is kept.
package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ferrule/ferrule/internal/dialects"
	"github.com/ferrule/ferrule/schema"
)

// servers are the programs that npm installs, with what they need to start.
var servers = []struct {
	name string
	args []string
	env  []string
}{
	{"mcp-server-everything", nil, nil},
	{"mcp-server-filesystem", []string{"."}, nil},
	{"mcp-server-memory", nil, nil},
	{"mcp-server-sequential-thinking", nil, nil},
	{"mcp-server-github", nil, []string{"GITHUB_PERSONAL_ACCESS_TOKEN=none"}},
	{"mcp-server-gitlab", nil, []string{"GITLAB_PERSONAL_ACCESS_TOKEN=none"}},
	{"mcp-server-slack", nil, []string{"SLACK_BOT_TOKEN=none", "SLACK_TEAM_ID=none"}},
	{"mcp-server-google-maps", nil, []string{"GOOGLE_MAPS_API_KEY=none"}},
	{"mcp-server-brave-search", nil, []string{"BRAVE_API_KEY=none"}},
	{"playwright-mcp", nil, nil},
	{"context7-mcp", nil, nil},
	{"firecrawl-mcp", nil, []string{"FIRECRAWL_API_KEY=none"}},
	{"notion-mcp-server", nil, nil},
	{"tavily-mcp", nil, []string{"TAVILY_API_KEY=none"}},
	{"chrome-devtools-mcp", nil, nil},
	{"playwright-mcp-server", nil, nil},
	{"figma-developer-mcp", []string{"--stdio"}, []string{"FIGMA_API_KEY=none"}},
}

// enough is how many servers must tell of their tools.
const enough = 12

// tool is what a server tells of one.
type tool struct {
	Name        string
	InputSchema json.RawMessage
}

// tools starts a server and asks for its tools.
func tools(ctx context.Context, bin string, args, env []string) ([]tool, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, bin, args...)
	c.Env = append(os.Environ(), env...)
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if _, err := fmt.Fprintln(in, m); err != nil {
			return nil, err
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var m struct {
			ID     int
			Result struct{ Tools []tool }
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID == 2 {
			return m.Result.Tools, nil
		}
	}
	return nil, fmt.Errorf("no list of tools: %w", ctx.Err())
}

// TestPublishedServers: whatever they publish comes out valid in every dialect,
// and as a schema that can be checked.
func TestPublishedServers(t *testing.T) {
	dir := t.TempDir()
	b, err := os.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--silent", "--ignore-scripts")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm can't install the servers: %v: %s", err, out)
	}
	heard, all := 0, 0
	lost := map[string]map[string]int{} // by dialect and kind of edit
	for _, s := range servers {
		ts, err := tools(t.Context(), filepath.Join(dir, "node_modules", ".bin", s.name), s.args, s.env)
		if err != nil || len(ts) == 0 {
			t.Logf("%s tells of no tools: %v", s.name, err)
			continue
		}
		heard++
		all += len(ts)
		t.Logf("%s: %d tools", s.name, len(ts))
		for _, tool := range ts {
			for _, d := range schema.Dialects() {
				out, notes, err := schema.In(d, tool.InputSchema)
				if err != nil {
					t.Errorf("%s %s in %s: %v", s.name, tool.Name, d, err)
					continue
				}
				for _, wrong := range dialects.Wrong(d, out) {
					t.Errorf("%s %s: %.300s", s.name, tool.Name, wrong)
				}
				if _, err := schema.Compile(out); err != nil {
					t.Errorf("%s %s in %s: %v", s.name, tool.Name, d, err)
				}
				for _, n := range notes {
					if lost[d] == nil {
						lost[d] = map[string]int{}
					}
					lost[d][n.What]++
				}
			}
		}
	}
	var table strings.Builder
	for _, d := range schema.Dialects() {
		for _, what := range slices.Sorted(maps.Keys(lost[d])) {
			fmt.Fprintf(&table, "| %s | %s | %d |\n", d, what, lost[d][what])
		}
	}
	t.Logf("%d servers, %d tools; what is lost:\n| dialect | edit | times |\n|---|---|---|\n%s", heard, all, table.String())
	if heard < enough {
		t.Errorf("%d servers told of their tools, want %d", heard, enough)
	}
}
