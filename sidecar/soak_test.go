package sidecar_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// soakAgent does what its message says. The sleep of a waiting one is long
// enough to be found by.
const soakAgent = `read -r word
	case "$word" in
	slow) i=0; while [ $i -lt 20 ]; do i=$((i+1)); echo "line $i"; sleep 0.04; done;;
	long) head -c 1000000 /dev/zero | tr '\0' x;;
	wait) exec sleep 617;;
	*) echo "$word";;
	esac`

// TestSoak keeps a sidecar busy for as long as SOAK says and prints a table of
// what it costs, a line for each minute (for a shorter soak, six lines in all).
// It fails when the sidecar grows, or when anything is answered wrongly. Two
// sidecars share the load: one that starts a process for every message, and one
// whose agent takes messages over the channel; both keep their tasks on disk.
func TestSoak(t *testing.T) {
	if os.Getenv("SOAK") == "" {
		t.Skip("SOAK=30m (make soak) says how long")
	}
	length, err := time.ParseDuration(os.Getenv("SOAK"))
	if err != nil {
		t.Fatal(err)
	}
	manifest := writeManifest(t, `[
		{"name":"test.cat","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":["/bin/cat"],"output":"json"}}}},
		{"name":"test.fail","description":"d","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":["sh","-c","exit 3"]}}}}]`)
	limits := []string{"--keep-bytes", "8MiB", "--queue", "1000", "--cancel-grace", "2s"}
	processes := newSoaked(t, "processes", append(slices.Clip(limits), "--retain-bytes", "50000KiB", "--mode", "oneshot", "--max-concurrency", "32", "--manifest", manifest, "--", "sh", "-c", soakAgent)...)
	processes.load(2, 10, processes.echo)
	processes.load(2, 1, processes.follow)
	processes.load(2, 1, processes.comeAndGo)
	processes.load(2, 2, processes.cancel)
	processes.load(2, 5, processes.call)
	processes.load(1, 5, processes.list)
	processes.load(1, 1, processes.long)
	processes.load(2, 1, processes.stall)
	connected := newSoaked(t, "channel", append(append(slices.Clip(limits), "--retain-bytes", "300000KiB", "--deliver", "channel", "--push-allow-private", "--"), agentCommand(t, "connected")...)...)
	connected.load(4, 25, connected.echo)
	connected.load(4, 2, connected.notify(newReceiver(t)))
	connected.load(1, 5, connected.list)

	soakFor(t, length, processes, connected)
	for _, s := range []*soaked{processes, connected} {
		s.judge()
	}
}

// soaked is one sidecar under load.
type soaked struct {
	*running
	name  string
	state string // its state directory
	http  *http.Client
	idle  cost // before the load

	calls   atomic.Int64
	work    []func(ctx context.Context) // each runs until ctx ends
	samples []cost

	mu     sync.Mutex
	took   []time.Duration // of echoes since the last line of the table
	done   int
	faults []string
}

// cost is what a sidecar takes at one moment.
type cost struct {
	size
	processes int // below it
	disk      int64
}

func newSoaked(t *testing.T, name string, args ...string) *soaked {
	state := t.TempDir()
	s := &soaked{running: run(t, append([]string{"--state-dir", state}, args...)...), name: name, state: state}
	s.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
	s.idle = s.measure()
	return s
}

// client is one whose connections are kept.
func (s *soaked) client() *client.Client { return client.New(s.url, s.http) }

// load adds workers that each do something so many times a second, or as often
// as they can where that takes longer.
func (s *soaked) load(workers, rate int, do func(ctx context.Context) error) {
	for range workers {
		s.work = append(s.work, func(ctx context.Context) {
			tick := time.NewTicker(time.Second / time.Duration(rate))
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
				case <-ctx.Done():
					return
				}
				s.count(ctx, do(ctx))
			}
		})
	}
}

func (s *soaked) count(ctx context.Context, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	if err != nil && ctx.Err() == nil {
		s.faults = append(s.faults, err.Error())
	}
}

// soakFor runs the load, samples the cost each second and prints the table.
func soakFor(t *testing.T, length time.Duration, all ...*soaked) {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var workers sync.WaitGroup
	for _, s := range all {
		for _, work := range s.work {
			workers.Go(func() { work(ctx) })
		}
	}
	// As it comes, unlike what t.Log says, and in half an hour somebody wants to look.
	fmt.Printf("%8s  %-9s %8s %8s %5s %10s %9s %9s %8s %9s %9s\n", "time", "sidecar", "RSS MiB", "own MiB", "fds", "goroutines", "processes", "disk MiB", "done", "echo p50", "echo p99")
	begin, sample := time.Now(), time.NewTicker(time.Second)
	defer sample.Stop()
	every := min(time.Minute, length/6)
	for next := every; ; {
		select {
		case <-sample.C:
		case <-ctx.Done():
			workers.Wait()
			return
		}
		for _, s := range all {
			s.samples = append(s.samples, s.measure())
		}
		if time.Since(begin) >= next {
			next += every
			for _, s := range all {
				s.line(time.Since(begin))
			}
		}
	}
}

func (s *soaked) line(at time.Duration) {
	s.mu.Lock()
	took, done := s.took, s.done
	s.took, s.done = nil, 0
	s.mu.Unlock()
	slices.Sort(took)
	quantile := func(q float64) time.Duration {
		if len(took) == 0 {
			return 0
		}
		return took[int(q*float64(len(took)-1))].Round(10 * time.Microsecond)
	}
	c := s.samples[len(s.samples)-1]
	fmt.Printf("%8s  %-9s %8.1f %8.1f %5d %10d %9d %9.1f %8d %9s %9s\n", at.Round(time.Second), s.name, float64(c.rss)/(1<<20), float64(c.anon)/(1<<20), c.fds, c.goroutines,
		c.processes, float64(c.disk)/(1<<20), done, quantile(0.5), quantile(0.99))
}

// judge compares the last third of the samples with the second, and what is
// left when the load has gone with what was there before it came.
func (s *soaked) judge() {
	s.t.Helper()
	for i, f := range s.faults {
		if i == 5 {
			s.t.Errorf("%s: %d more faults", s.name, len(s.faults)-i)
			break
		}
		s.t.Errorf("%s: %s", s.name, f)
	}
	third := len(s.samples) / 3
	if third < 3 {
		s.t.Fatalf("%s: %d samples are too few", s.name, len(s.samples))
	}
	before, after := middle(s.samples[third:2*third]), middle(s.samples[2*third:])
	s.flat("memory of its own, MiB", before.anon>>20, after.anon>>20, before.anon>>20*15/100+4)
	// These follow how much is under way at once, and that the machine: what is
	// left when the load has gone is looked at more closely below.
	s.flat("file descriptors", int64(before.fds), int64(after.fds), 100)
	s.flat("goroutines", int64(before.goroutines), int64(after.goroutines), 200)
	s.flat("processes", int64(before.processes), int64(after.processes), 40)
	s.flat("disk, MiB", before.disk>>20, after.disk>>20, before.disk>>20*25/100+16) // a step of its growth

	s.http.CloseIdleConnections()
	await.True(s.t, s.name+": all work ends", func() bool {
		return s.metric(`sidecar_tasks{state="working"}`)+s.metric(`sidecar_tasks{state="submitted"}`) == 0
	})
	var left cost
	await.True(s.t, s.name+": it is as it was before", func() bool {
		left = s.measure()
		return left.fds <= s.idle.fds+5 && left.goroutines <= s.idle.goroutines+10 && left.processes <= s.idle.processes || s.t.Failed()
	})
	fmt.Printf("%8s  %-9s %8.1f %8.1f %5d %10d %9d %9.1f\n", "after", s.name, float64(left.rss)/(1<<20), float64(left.anon)/(1<<20), left.fds, left.goroutines, left.processes, float64(left.disk)/(1<<20))
}

func (s *soaked) flat(what string, before, after, room int64) {
	s.t.Helper()
	if after > before+room {
		s.t.Errorf("%s: %s grew from %d to %d", s.name, what, before, after)
	}
}

// middle is the median of each cost.
func middle(samples []cost) (c cost) {
	of := func(get func(cost) int64) int64 {
		var all []int64
		for _, s := range samples {
			all = append(all, get(s))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	c.anon = of(func(c cost) int64 { return c.anon })
	c.fds = int(of(func(c cost) int64 { return int64(c.fds) }))
	c.goroutines = int(of(func(c cost) int64 { return int64(c.goroutines) }))
	c.processes = int(of(func(c cost) int64 { return int64(c.processes) }))
	c.disk = of(func(c cost) int64 { return c.disk })
	return c
}

func (s *soaked) measure() cost {
	s.t.Helper()
	c := cost{size: s.size(), processes: descendants(s.cmd.Process.Pid)}
	files, err := os.ReadDir(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil { // one that has gone meanwhile takes nothing
			c.disk += info.Size()
		}
	}
	return c
}

// descendants counts the processes below one.
func descendants(pid int) int {
	parents := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is good
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(path))) // digits, by the pattern
		parent, _ := strconv.Atoi(fields[1])
		parents[parent] = append(parents[parent], id)
	}
	n := 0
	for below := parents[pid]; len(below) > 0; below = below[1:] {
		n++
		below = append(below, parents[below[0]]...)
	}
	return n
}

// echo sends a text and wants it back.
func (s *soaked) echo(ctx context.Context) error {
	begin := time.Now()
	text := a2a.NewID()
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage(text)})
	if err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	if got := strings.TrimSpace(artifact(result.Task, "response")); got != text {
		return fmt.Errorf("echo: %q is answered by %q (%s)", text, got, result.Task.Status.State)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took = append(s.took, time.Since(begin))
	return nil
}

// follow reads a slow answer to its end.
func (s *soaked) follow(ctx context.Context) error {
	st, err := s.client().Stream(ctx, &a2a.SendRequest{Message: userMessage("slow")})
	if err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	defer st.Close()
	var text strings.Builder
	for {
		events, err := st.Next(ctx)
		for _, e := range events {
			if e.Artifact != nil {
				for _, p := range e.Artifact.Artifact.Parts {
					text.WriteString(p.Text)
				}
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("follow: %w", err)
		}
	}
	if n := strings.Count(text.String(), "line "); n != 20 {
		return fmt.Errorf("follow: %d of 20 lines came: %q", n, text.String())
	}
	return nil
}

// comeAndGo starts a slow answer, leaves in its middle, comes back twice and
// sees the end.
func (s *soaked) comeAndGo(ctx context.Context) error {
	st, err := s.client().Stream(ctx, &a2a.SendRequest{Message: userMessage("slow")})
	if err != nil {
		return fmt.Errorf("come and go: %w", err)
	}
	id, err := firstEvents(ctx, st, 3)
	if err != nil {
		return fmt.Errorf("come and go: %w", err)
	}
	for range 2 {
		st, err := s.client().Subscribe(ctx, &a2a.SubscribeRequest{ID: id})
		if errors.Is(err, a2a.ErrUnsupportedOperation) {
			break // it has ended
		}
		if err != nil {
			return fmt.Errorf("coming back: %w", err)
		}
		if _, err := firstEvents(ctx, st, 4); err != nil {
			return fmt.Errorf("coming back: %w", err)
		}
	}
	for {
		task, err := s.client().Get(ctx, &a2a.GetRequest{ID: id})
		if err != nil {
			return fmt.Errorf("come and go: %w", err)
		}
		if task.Status.State.Terminal() {
			if n := strings.Count(artifact(task, "response"), "line "); n != 20 {
				return fmt.Errorf("come and go: %d of 20 lines are kept", n)
			}
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond): // there is nothing else to wait for
		case <-ctx.Done():
			return nil
		}
	}
}

// firstEvents reads so many events of a stream and hangs up.
func firstEvents(ctx context.Context, st a2a.Stream, n int) (task string, err error) {
	defer st.Close()
	for seen := 0; seen < n; {
		events, err := st.Next(ctx)
		for _, e := range events {
			if e.Task != nil {
				task = e.Task.ID
			}
			seen++
		}
		if errors.Is(err, io.EOF) {
			return task, nil
		}
		if err != nil {
			return task, err
		}
	}
	return task, nil
}

// cancel starts what would take minutes and stops it.
func (s *soaked) cancel(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx) // what is started here nobody else would stop when the soak is over
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage("wait"), ReturnImmediately: true})
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	task, err := s.client().Cancel(ctx, &a2a.CancelRequest{ID: result.Task.ID})
	if err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	if task.Status.State != a2a.StateCanceled {
		return fmt.Errorf("cancel: the task is %s", task.Status.State)
	}
	return nil
}

// call runs a tool.
func (s *soaked) call(ctx context.Context) error {
	name, want := "test.cat", http.StatusOK
	if s.calls.Add(1)%4 == 0 { // every fourth is one that fails
		name, want = "test.fail", http.StatusBadGateway
	}
	reply, err := s.client().CallTool(ctx, &a2a.ToolRequest{Name: name, Arguments: []byte(`{"a":1}`)})
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	if reply.Status != want {
		return fmt.Errorf("call: %s is answered by %d %s", name, reply.Status, reply.Envelope)
	}
	return nil
}

// list reads a page of the finished tasks, and the first of them whole.
func (s *soaked) list(ctx context.Context) error {
	page, err := s.client().List(ctx, &a2a.ListRequest{State: a2a.StateCompleted, PageSize: 20})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(page.Tasks) == 0 {
		return nil
	}
	if _, err := s.client().Get(ctx, &a2a.GetRequest{ID: page.Tasks[0].ID}); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	return nil
}

// long reads a megabyte.
func (s *soaked) long(ctx context.Context) error {
	result, err := s.client().Send(ctx, &a2a.SendRequest{Message: userMessage("long")})
	if err != nil {
		return fmt.Errorf("long: %w", err)
	}
	if n := len(artifact(result.Task, "response")); n != 1_000_000 {
		return fmt.Errorf("long: %d bytes came", n)
	}
	return nil
}

// stall asks for a megabyte, reads none of it, and goes.
func (s *soaked) stall(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/message:stream",
		strings.NewReader(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"long"}]}}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.http.Do(req)
	if err != nil {
		return fmt.Errorf("stall: %w", err)
	}
	defer res.Body.Close()
	select {
	case <-time.After(time.Second): // as long as it stalls
	case <-ctx.Done():
	}
	return nil
}
