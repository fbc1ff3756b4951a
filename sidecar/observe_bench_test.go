package sidecar_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// kept is a client whose connections last, however many use it at once: what
// is measured is the server.
func kept() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
}

const echoBody = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`

// post sends a body and wants an answer that has the text.
func post(b *testing.B, c *http.Client, url, body, want string) {
	b.Helper()
	res, err := c.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || !bytes.Contains(got, []byte(want)) {
		b.Errorf("%d %s %v", res.StatusCode, got, err)
	}
}

// BenchmarkConnectedRate is how many messages a second an agent gets that takes
// them over the channel, of what a bare net/http echo answers the same client;
// and what it costs more when each task is on disk before its answer. Eight
// clients are another matter: an echo answers them at once, while one agent is
// one conversation and takes one message at a time.
func BenchmarkConnectedRate(b *testing.B) {
	agent := append([]string{"--deliver", "channel", "--queue", "1000", "--"}, agentCommand(b, "connected")...)
	memory, _ := ship(b, agent...)
	disk, _ := ship(b, append([]string{"--state-dir", b.TempDir()}, agent...)...)
	bare, _ := floorAt(b, "cat")
	c := kept()
	for b.Loop() {
		for _, clients := range []int{1, 8} {
			const messages = 1000
			all := func(url, want string) time.Duration {
				return timed(func() {
					var senders sync.WaitGroup
					for range clients {
						senders.Go(func() {
							for range messages / clients {
								post(b, c, url, echoBody, want)
							}
						})
					}
					senders.Wait()
				})
			}
			var disked []time.Duration
			ours, floor := pairs(7, func() time.Duration {
				disked = append(disked, all(disk+"/message:send", "TASK_STATE_COMPLETED"))
				return all(memory+"/message:send", "TASK_STATE_COMPLETED")
			}, func() time.Duration { return all(bare+"/echo", "hello") })
			onDisk := median(disked)
			rate := func(d time.Duration) float64 { return messages / d.Seconds() }
			b.Logf("%d clients, messages/s: %.0f, with the disk store %.0f; bare echo %.0f", clients, rate(ours), rate(onDisk), rate(floor))
			if clients == 1 {
				report(b, "messages to a connected agent, of an echo's rate", float64(floor)/float64(ours), "of-echo", ">= 0.33")
			}
			report(b, "the disk store's cost per acknowledged task", float64(onDisk-ours)/messages/1e3, fmt.Sprintf("µs-disk-%d", clients), "+ one fsync")
		}
	}
}

// BenchmarkBadReaders is what everybody else notices of readers that stop, creep
// or vanish: the pace of the agent that they read, and what others wait for
// their answers.
func BenchmarkBadReaders(b *testing.B) {
	for _, store := range []string{"memory", "disk"} {
		b.Run(store, func(b *testing.B) {
			args := []string{"--mode", "oneshot", "--"}
			if store == "disk" {
				args = append([]string{"--state-dir", b.TempDir()}, args...)
			}
			const flood = "import sys,time\nc=b'x'*8192\nfor _ in range(1500):\n  sys.stdout.buffer.write(c)\n  sys.stdout.buffer.flush()\n  time.sleep(0.001)"
			base, _ := ship(b, append(args, "sh", "-c", `read -r w; [ "$w" != flood ] || exec python3 -c "$1"; echo "$w"`, "sh", flood)...)
			r := &readers{b: b, base: base, client: kept()}
			for b.Loop() {
				var quiet, crowded measured
				for range 5 {
					quiet.add(r.flood(func(string, <-chan struct{}) {}))
					crowded.add(r.flood(r.bad))
				}
				b.Logf("the agent took %v, crowded %v; others' p99 %v, crowded %v", median(quiet.pace), median(crowded.pace), median(quiet.p99), median(crowded.p99))
				report(b, "the agent's time, bad readers over none", float64(median(crowded.pace))/float64(median(quiet.pace)), "x-pace", "~ 1")
				report(b, "others' p99, bad readers over none", float64(median(crowded.p99))/float64(median(quiet.p99)), "x-p99", "~ 1")
			}
		})
	}
}

// measured are the times of several floods.
type measured struct{ pace, p99 []time.Duration }

func (m *measured) add(pace, p99 time.Duration) {
	m.pace, m.p99 = append(m.pace, pace), append(m.p99, p99)
}

// readers read one flood after the other.
type readers struct {
	b      *testing.B
	base   string
	client *http.Client
}

// flood has an agent write 1,500 pieces of 8 KiB, reads all of it, and lets
// others be there: it returns how long that took, and the 99th percentile of
// what a client waited for an answer meanwhile.
func (r *readers) flood(others func(task string, over <-chan struct{})) (pace, p99 time.Duration) {
	r.b.Helper()
	over := make(chan struct{})
	var beside sync.WaitGroup
	begin := time.Now()
	stream := openStream(r.b, http.MethodPost, r.base+"/message:stream", strings.Replace(echoBody, "hello", "flood", 1))
	id := firstTaskID(r.b, stream)
	beside.Go(func() { others(id, over) })
	var waits []time.Duration
	beside.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-over:
				return
			}
			waits = append(waits, timed(func() { post(r.b, r.client, r.base+"/message:send", echoBody, "TASK_STATE_COMPLETED") }))
		}
	})
	n, err := io.Copy(io.Discard, stream)
	pace = time.Since(begin)
	close(over)
	beside.Wait()
	if err != nil || n < 1500*8192 {
		r.b.Fatalf("the good reader got %d bytes, %v", n, err)
	}
	slices.Sort(waits)
	return pace, waits[len(waits)*99/100]
}

// bad are one reader that stops, one that takes a byte a second, and fifty that
// vanish in mid-stream, one after the other. What newcomers cost is another
// matter: each is sent the task as it is, up to 8 MiB.
func (r *readers) bad(task string, over <-chan struct{}) {
	var all sync.WaitGroup
	defer all.Wait()
	open := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
		if err != nil {
			r.b.Error(err)
			return nil
		}
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // so that not reading is felt
		fmt.Fprintf(conn, "GET /tasks/%s:subscribe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", task)
		return conn
	}
	hold := func(while func(net.Conn)) {
		all.Go(func() {
			if conn := open(); conn != nil {
				defer conn.Close()
				while(conn)
			}
		})
	}
	hold(func(net.Conn) { <-over })
	hold(func(conn net.Conn) {
		tick, one := time.NewTicker(time.Second), make([]byte, 1)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				_, _ = conn.Read(one) // it may have been cut off: then it was
			case <-over:
				return
			}
		}
	})
	for i := range 50 {
		all.Go(func() {
			conn := open()
			if conn == nil {
				return
			}
			defer conn.Close()
			all.Go(func() { _, _ = io.Copy(io.Discard, conn) }) // ends with conn
			select {
			case <-time.After(time.Duration(i) * 20 * time.Millisecond):
			case <-over:
			}
		})
	}
}
