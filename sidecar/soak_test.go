package sidecar_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a/client"
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
