package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
)

// crowd is many calls of two tools, and how long each waited, by class.
type crowd struct {
	mu     sync.Mutex
	reads  int
	writes int
	broken string
	waits  map[string][]time.Duration
}

// enters notes that a call runs, and returns what notes its end.
func (c *crowd) enters(class string, waited time.Duration) (leaves func()) {
	count := map[string]*int{"read": &c.reads, "write": &c.writes}[class]
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waits[class] = append(c.waits[class], waited)
	if *count++; c.writes > 1 || c.writes == 1 && c.reads > 0 {
		c.broken = fmt.Sprintf("%d writes beside %d reads", c.writes, c.reads)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		*count--
	}
}

// fair checks that nobody waited much longer than the others of the class.
func (c *crowd) fair(t *testing.T, calls int) {
	t.Helper()
	if c.broken != "" {
		t.Error(c.broken)
	}
	ran := 0
	for class, waits := range c.waits {
		var sum, longest time.Duration
		for _, w := range waits {
			sum += w
			longest = max(longest, w)
		}
		ran += len(waits)
		mean := sum / time.Duration(len(waits))
		t.Logf("%d calls that %s waited %s on average, the longest %s: %.2f times that", len(waits), class, mean, longest, float64(longest)/float64(mean))
		if longest > 3*mean {
			t.Errorf("one that is to %s waited %s, the mean is %s", class, longest, mean)
		}
	}
	if ran != calls {
		t.Errorf("%d calls ran, of %d", ran, calls)
	}
}

// A thousand calls of five callers, one of whom sends most of them, at once and spread over
// time: never two writes together, and nobody waits much longer than the mean.
func TestThousandCalls(t *testing.T) {
	for _, spread := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := &crowd{waits: map[string][]time.Duration{}}
			began := map[string]time.Time{} // by call; each is set before its call starts
			var mu sync.Mutex
			reg := manifest.NewRegistry()
			for class, effects := range map[string]manifest.Effects{"read": manifest.EffectsRead, "write": manifest.EffectsWrite} {
				handler(t, reg, "go."+class, effects, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
					var a struct{ N string }
					_ = json.Unmarshal(args, &a) // the test's own
					mu.Lock()
					waited := time.Since(began[a.N])
					mu.Unlock()
					defer c.enters(class, waited)()
					time.Sleep(10 * time.Millisecond)
					return nil, nil
				})
			}
			r := newRig(t, "", reg, func(o *call.Options) { o.MaxConcurrency, o.Queue = 8, 2000 })
			random := rand.New(rand.NewPCG(1, 2))
			var all []*call.Invocation
			for n := range 1000 {
				class, caller := "read", "many"
				if random.IntN(4) == 0 {
					class = "write"
				}
				if n%3 == 0 {
					caller = fmt.Sprint(n % 4)
				}
				mu.Lock()
				began[fmt.Sprint(n)] = time.Now()
				mu.Unlock()
				all = append(all, r.p.Start(call.Request{Tool: "go." + class, Caller: caller, Arguments: json.RawMessage(fmt.Sprintf(`{"n":"%d"}`, n))}))
				if spread > 0 {
					time.Sleep(time.Duration(random.Int64N(int64(spread / 500))))
				}
			}
			for _, inv := range all {
				r.ended(inv).is("final", a2a.StateCompleted, 200)
			}
			c.fair(t, 1000)
		})
	}
}

// The same with processes, which see each other in a directory: a write that finds anybody
// else there, and a read that finds a write, fails. It takes about half a minute.
func TestThousandProcesses(t *testing.T) {
	if os.Getenv("SIDECAR_THOUSAND") == "" {
		t.Skip("SIDECAR_THOUSAND=1, or make thousand, runs it")
	}
	dir := t.TempDir()
	script := func(class, beside string) string {
		text := "#!/bin/sh\ntouch " + dir + "/" + class + ".$$\nfound=$(find " + dir + " -name '" + beside + "' ! -name '" + class + ".'$$)\nsleep 0.005\nrm " + dir + "/" + class + ".$$\n" +
			"[ -z \"$found\" ] || { echo \"beside $found\" >&2; exit 1; }\n"
		path := filepath.Join(t.TempDir(), class)
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	command := func(class, beside string) string {
		return tool("exec."+class, `{"effects":"`+class+`","bridge":{"exec":{"command":["`+script(class, beside)+`"]}}}`)
	}
	r := newRig(t, command("read", "write.*")+","+command("write", "*.*"), nil, withHost(t), func(o *call.Options) { o.MaxConcurrency, o.Queue = 8, 2000 })
	random := rand.New(rand.NewPCG(1, 2))
	c := &crowd{waits: map[string][]time.Duration{}}
	var all sync.WaitGroup
	for n := range 1000 {
		class := []string{"write", "read", "read", "read"}[random.IntN(4)]
		began := time.Now()
		inv := r.p.Start(call.Request{Tool: "exec." + class, Caller: fmt.Sprint(n % 5)})
		all.Go(func() {
			e := r.ended(inv).is("final", a2a.StateCompleted, 200)
			ran := time.Duration(*e.env.Metadata.DurationMS) * time.Millisecond
			c.mu.Lock()
			defer c.mu.Unlock()
			c.waits[class] = append(c.waits[class], time.Since(began)-ran)
		})
	}
	all.Wait()
	c.fair(t, 1000)
}
