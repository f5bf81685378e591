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
	h, err := roleHandler(role, upstream)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(l) }()
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

func roleHandler(role, upstream string) (http.Handler, error) {
	if role == "proxy" {
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
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = errors.Join(in.Close(), cmd.Wait()) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return process{strings.TrimSpace(line), cmd.Process.Pid}
}

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

// resident returns the largest memory that the process had, in MiB.
func (p process) resident() float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return float64(kb) / 1024
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

func BenchmarkAgainstReverseProxy(b *testing.B) {
	up := fakeUpstream()
	defer up.Close()
	tools := strings.Replace(askTools, "{", `{"stream":true,`, 1)
	for _, kind := range []struct {
		name, body string
		roles      []string
	}{
		{"json", ask, []string{"proxy", "native"}},
		{"stream", askStream, []string{"proxy", "native"}},
		{"tools", tools, []string{"proxy", "native", "emulated"}},
	} {
		for _, role := range kind.roles {
			for _, clients := range []int{1, 32, 256} {
				b.Run(fmt.Sprintf("%s/%s/clients=%d", kind.name, role, clients), func(b *testing.B) {
					p := start(b, role, up.URL)
					load(b, p, kind.body, clients)
				})
			}
		}
	}
}

// load sends b.N requests from so many clients at once.
func load(b *testing.B, p process, body string, clients int) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	one := func() (first time.Duration, err error) {
		start := time.Now()
		resp, err := client.Post("http://"+p.addr+chatPath, "application/json", strings.NewReader(body))
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
	for range 20 { // to warm up
		if _, err := one(); err != nil {
			b.Fatal(err)
		}
	}
	firsts := make([]time.Duration, b.N)
	next := make(chan int)
	var wg sync.WaitGroup
	ctx, fail := context.WithCancelCause(b.Context())
	defer fail(nil)
	before := p.cpu()
	b.ResetTimer()
	for range clients {
		wg.Go(func() {
			for i := range next {
				var err error
				if firsts[i], err = one(); err != nil {
					fail(err)
				}
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	wg.Wait()
	b.StopTimer()
	if err := context.Cause(ctx); err != nil {
		b.Fatal(err) // of the client that failed first
	}
	b.ReportMetric(float64((p.cpu()-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(median(firsts).Microseconds()), "first-µs")
	b.ReportMetric(p.resident(), "peak-MiB")
}

func median(ds []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(ds))[len(ds)/2]
}
