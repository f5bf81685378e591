package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ferrule/ferrule/gateway"
	"github.com/ferrule/ferrule/profile"
	"github.com/ferrule/ferrule/protocol/openai"
	"github.com/ferrule/ferrule/provider"
	"github.com/ferrule/ferrule/turn"
)

// The benchmarks measure a process of its own that does nothing but serve, so
// that what the client and the upstream cost doesn't count. Its role and its
// upstream come in these variables.
const (
	roleVariable     = "FERRULE_BENCH_ROLE"
	upstreamVariable = "FERRULE_BENCH_UPSTREAM"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := serveRole(role, os.Getenv(upstreamVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveRole serves until its standard input ends.
func serveRole(role, upstream string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if role == proxyRole {
		p, err := reverseProxy(upstream)
		if err != nil {
			return err
		}
		go func() { _ = http.Serve(l, p) }()
	} else {
		s, err := roleServer(role, upstream)
		if err != nil {
			return err
		}
		go func() { _ = s.Serve(ctx, l) }()
	}
	fmt.Println(l.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

const proxyRole = "proxy"

func reverseProxy(upstream string) (http.Handler, error) {
	u, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	p := httputil.NewSingleHostReverseProxy(u)
	p.Transport = &http.Transport{MaxIdleConnsPerHost: 1024}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A bare one cuts streams of POSTs whose body it hasn't read.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.ServeHTTP(w, r)
	}), nil
}

// roleServer is the gateway with its model in the mode that the role names.
func roleServer(role, upstream string) (*gateway.Server, error) {
	up, err := provider.New(provider.Config{Name: "p", URL: upstream + "/v1", Protocol: openai.Name, Client: openai.Client{}})
	if err != nil {
		return nil, err
	}
	return gateway.New(gateway.Options{
		Runner: &turn.Runner{Key: bytes.Repeat([]byte{7}, 32), Facts: &turn.LocalFacts{}},
		Providers: []gateway.Provider{{
			Name: "p", Upstream: up,
			Models: map[string]profile.Profile{"m": {Tools: profile.Mode(role)}},
		}},
	})
}

// process is a running role.
type process struct {
	addr string
	pid  int
}

func start(b *testing.B, role, upstream string) process {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, upstreamVariable+"="+upstream)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	return launch(b, cmd, in.Close)
}

// launch starts a command that prints its address first, and ends it by stop.
func launch(b *testing.B, cmd *exec.Cmd, stop func() error) process {
	b.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = errors.Join(stop(), cmd.Wait()) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return process{address.FindString(line), cmd.Process.Pid}
}

var address = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)

// cpu returns the time that the process has had; zero where the system doesn't tell.
func (p process) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick
}

// resident returns the memory that the process has and the most that it had, in MiB.
func (p process) resident() (now, peak float64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0, 0
	}
	mib := func(field string) float64 {
		_, rest, _ := strings.Cut(string(status), field)
		kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
		return float64(kb) / 1024
	}
	return mib("VmRSS:"), mib("VmHWM:")
}

// fakeUpstream answers with 2 KB of JSON or a stream of 200 events.
func fakeUpstream() *httptest.Server {
	filler := strings.Repeat("word ", 350)
	whole := fmt.Sprintf(`{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":350,"total_tokens":360}}`, filler)
	event := []byte(text("word "))
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, whole)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		for range 199 {
			_, _ = w.Write(event)
			_ = rc.Flush()
		}
		_, _ = io.WriteString(w, end)
	}))
}

var askToolsStream = strings.Replace(askTools, "{", `{"stream":true,`, 1)

// BenchmarkAgainstReverseProxy sends the same requests to a bare reverse proxy
// and to the gateway, in turns, so that what else the machine does meets both
// alike. b.N is the number of requests that each of them gets.
func BenchmarkAgainstReverseProxy(b *testing.B) {
	up := fakeUpstream()
	defer up.Close()
	for _, kind := range []struct {
		name, body string
		roles      []string // the first is what the others are measured by
	}{
		{"json", ask, []string{proxyRole, "native"}},
		{"stream", askStream, []string{proxyRole, "native"}},
		{"tools", askToolsStream, []string{proxyRole, "native", "emulated"}},
	} {
		for _, clients := range []int{1, 32, 256} {
			b.Run(fmt.Sprintf("%s/clients=%d", kind.name, clients), func(b *testing.B) {
				compare(b, up.URL, kind.body, kind.roles, clients)
			})
		}
	}
}

// compare reports for each role its CPU time a request and the median time to
// the first byte, and for all but the first what that is against the first.
func compare(b *testing.B, upstream, body string, roles []string, clients int) {
	const turns = 8
	loads := make([]*load, len(roles))
	for i, role := range roles {
		loads[i] = newLoad(start(b, role, upstream), body, clients)
		defer loads[i].client.CloseIdleConnections()
		if err := loads[i].send(b.Context(), max(200, 2*clients)); err != nil { // to warm up
			b.Fatal(err)
		}
		loads[i].forget()
	}
	b.ResetTimer()
	for turn := range turns {
		n := b.N*(turn+1)/turns - b.N*turn/turns
		for i := range loads {
			// Each goes first in turn.
			if err := loads[(turn+i)%len(loads)].send(b.Context(), n); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op") // of all roles together: it says nothing
	first := loads[0]
	for i, l := range loads {
		b.ReportMetric(float64(l.cpu.Microseconds())/float64(b.N), roles[i]+"-cpu-µs")
		_, peak := l.p.resident()
		b.ReportMetric(peak, roles[i]+"-peak-MiB")
		if i == 0 {
			continue
		}
		b.ReportMetric(l.cpu.Seconds()/max(first.cpu.Seconds(), 1e-9), roles[i]+"/"+roles[0])
		b.ReportMetric(float64((median(l.firsts) - median(first.firsts)).Microseconds()), roles[i]+"-first-added-µs")
	}
}

// BenchmarkServe measures the program itself, as it is installed, at 256
// clients: what memory it has, at its most and at the end.
func BenchmarkServe(b *testing.B) {
	up := fakeUpstream()
	defer up.Close()
	exe := filepath.Join(b.TempDir(), "ferrule")
	if out, err := exec.Command("go", "build", "-o", exe, "../cmd/ferrule").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, kind := range []struct{ name, body, mode string }{
		{"json/native", ask, "native"},
		{"stream/native", askStream, "native"},
		{"tools/native", askToolsStream, "native"},
		{"tools/emulated", askToolsStream, "emulated"},
	} {
		b.Run(kind.name, func(b *testing.B) {
			const clients = 256
			home := b.TempDir()
			cmd := exec.Command(exe, "serve", "--upstream", up.URL+"/v1", "--tools", kind.mode, "--listen", "127.0.0.1:0")
			cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
			p := launch(b, cmd, func() error { return cmd.Process.Signal(os.Interrupt) })
			l := newLoad(p, strings.Replace(kind.body, "p/m", "upstream/m", 1), clients)
			defer l.client.CloseIdleConnections()
			if err := l.send(b.Context(), b.N); err != nil {
				b.Fatal(err)
			}
			now, peak := p.resident()
			b.ReportMetric(now, "resident-MiB")
			b.ReportMetric(peak, "peak-MiB")
			b.ReportMetric(float64(l.cpu.Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
}

// load is what a process is asked, and what that has cost so far.
type load struct {
	p       process
	client  *http.Client
	body    string
	clients int
	cpu     time.Duration
	firsts  []time.Duration // until the first byte of each answer
}

func newLoad(p process, body string, clients int) *load {
	return &load{p: p, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}, body: body, clients: clients}
}

func (l *load) forget() { l.cpu, l.firsts = 0, nil }

// send sends n requests from all clients at once.
func (l *load) send(ctx context.Context, n int) error {
	firsts := make([]time.Duration, n)
	next := make(chan int)
	var wg sync.WaitGroup
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	before := l.p.cpu()
	for range l.clients {
		wg.Go(func() {
			for i := range next {
				var err error
				if firsts[i], err = l.one(); err != nil {
					fail(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	l.cpu += l.p.cpu() - before
	l.firsts = append(l.firsts, firsts...)
	return context.Cause(ctx) // of the client that failed first
}

// one sends one request and reads its answer.
func (l *load) one() (first time.Duration, err error) {
	start := time.Now()
	resp, err := l.client.Post("http://"+l.p.addr+chatPath, "application/json", strings.NewReader(l.body))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	var buf [1]byte
	if _, err = io.ReadFull(resp.Body, buf[:]); err != nil {
		return 0, err
	}
	first = time.Since(start)
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || n < 1000) {
		err = fmt.Errorf("%s, %d bytes", resp.Status, n)
	}
	return first, err
}

func median(ds []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(ds))[len(ds)/2]
}
