package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ferrule/ferrule/config"
)

// statsCmd shows what a running gateway has counted.
type statsCmd struct {
	JSON   bool   `name:"json" help:"Print one JSON object."`
	URL    string `name:"url" help:"Where the gateway listens. Default: the configuration's listen, else http://127.0.0.1:8787." placeholder:"URL"`
	KeyEnv string `help:"The environment variable that holds a client key of the gateway." placeholder:"NAME"`
}

func (c statsCmd) Run(p *program) error {
	p.name = "ferrule stats"
	at, err := c.address(p)
	if err != nil {
		return err
	}
	key := ""
	if c.KeyEnv != "" {
		if key, _ = p.lookup(c.KeyEnv); key == "" {
			return fmt.Errorf("--key-env: the environment variable %s isn't set or is empty", c.KeyEnv)
		}
	}
	text, err := askMetrics(p.ctx, at, key)
	if err != nil {
		return err
	}
	t, err := count(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("what %s answers are no metrics (is it a Ferrule gateway? --url names another): %w", at.Redacted(), err)
	}
	t.URL = at.Redacted()
	if c.JSON {
		return printLine(p.stdout, t)
	}
	return t.print(p.stdout)
}

// address is where the gateway is asked.
func (c statsCmd) address(p *program) (*url.URL, error) {
	if c.URL == "" {
		listen, err := listenAddress(p)
		if err != nil {
			return nil, err
		}
		return &url.URL{Scheme: "http", Host: listen}, nil
	}
	u, err := url.Parse(c.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, usageError{errors.New("--url must begin with http:// or https:// and name a host")}
	}
	// What a client or a scraper is pointed at means the same gateway.
	path := strings.TrimRight(u.Path, "/")
	for _, known := range []string{"/metrics", "/v1"} {
		if rest, ok := strings.CutSuffix(path, known); ok {
			path = rest
			break
		}
	}
	return &url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host, Path: path}, nil
}

// listenAddress is where a gateway with this configuration listens, as this
// machine reaches it.
func listenAddress(p *program) (string, error) {
	e := p.configEnv()
	file, err := config.Find("", e)
	if err != nil || file == "" {
		return config.DefaultListen, err
	}
	cfg, err := config.Load(file, e)
	if err != nil {
		return "", fmt.Errorf("looking for the gateway's address, which --url can name: %w", err)
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return "", fmt.Errorf("%s: listen: %w", file, err)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		host = "::1"
	}
	return net.JoinHostPort(host, port), nil
}

// print prints two tables: the models, and what was set right.
func (t tally) print(out io.Writer) error {
	if len(t.Models) == 0 {
		_, err := fmt.Fprintf(out, "No tool calls yet at %s\n", onScreen(t.URL))
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "Provider\tModel\tMode\tCalls\tClean\tRepaired\tRetried\tFailed\tPassed\tQuoted\tMalformed")
	for _, o := range t.Models {
		fmt.Fprintln(w, o.row(o.Provider, o.Model, o.Mode))
	}
	if len(t.Models) > 1 {
		fmt.Fprintln(w, t.Total.row("all", "", ""))
	}
	if err := w.Flush(); err != nil || len(t.Repairs) == 0 {
		return err
	}
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nRepair\tCount")
	for _, r := range t.Repairs {
		fmt.Fprintf(w, "%s\t%d\n", oneLine(r.Repair), r.Count)
	}
	return w.Flush()
}

func (o outcomes) row(names ...string) string {
	cells := make([]string, 0, 11)
	for _, n := range names {
		cells = append(cells, oneLine(n))
	}
	for _, n := range []uint64{o.Calls, o.Clean, o.Repaired, o.Retried, o.Failed, o.Passed, o.Quoted} {
		cells = append(cells, strconv.FormatUint(n, 10))
	}
	rate := "-"
	if o.Rate != nil {
		rate = strconv.FormatFloat(100**o.Rate, 'f', 1, 64) + " %"
	}
	return strings.Join(append(cells, rate), "\t")
}
