package watchdog_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// readQuestion reads the line that a watchdog gets.
func readQuestion(c net.Conn) string {
	line, _ := bufio.NewReader(c).ReadString('\n')
	return line
}

func TestSocketAnswers(t *testing.T) {
	path := serve(t, func(c net.Conn) {
		if strings.Contains(readQuestion(c), `"env":"prod"`) {
			io.WriteString(c, `{"decision":"deny","reason":"not to prod"}`+"\n")
			return
		}
		io.WriteString(c, `{"decision":"allow"}`) // the end of the stream is an end of the line too
	})
	w := open(t, watchdog.Options{Target: "unix:" + path})
	expect(t, w.Ask(t.Context(), request()), policy.Deny, "", "the watchdog denies it: not to prod")
	r := request()
	r.Call.Arguments = `{"env":"` + strings.Repeat("x", 1<<20) + `"}`
	expect(t, w.Ask(t.Context(), r), policy.Allow, "", "")
}

func TestSocketFailsClosed(t *testing.T) {
	for _, tc := range []struct {
		name    string
		says    string
		failure watchdog.Failure
		reason  string
	}{
		{"nothing", "", watchdog.FailedAnswer, "the watchdog said nothing"},
		{"an empty line", "\n", watchdog.FailedAnswer, "the watchdog said nothing"},
		{"garbage", "yes\n", watchdog.FailedAnswer, "the watchdog gave no answer that can be read: "},
		{"two answers", "{\"decision\":\"allow\"}\n{\"decision\":\"deny\"}\n", watchdog.FailedAnswer, "the watchdog answered with more than one line"},
		{"half an answer", `{"decision":"allow"`, watchdog.FailedAnswer, "the watchdog gave no answer that can be read: "},
		{"too long", strings.Repeat(" ", 16<<10) + "\n", watchdog.FailedLength, "the watchdog said more than 16KiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := open(t, watchdog.Options{Target: "unix:" + serve(t, answering(tc.says))})
			if a := w.Ask(t.Context(), request()); a.Verdict != policy.Deny || a.Failure != tc.failure || !strings.HasPrefix(a.Reason, tc.reason) {
				t.Errorf("answer %s, failure %q, reason %q", a.Verdict, a.Failure, a.Reason)
			}
		})
	}
	silent := open(t, watchdog.Options{Timeout: short, Target: "unix:" + serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })})
	expect(t, silent.Ask(t.Context(), request()), policy.Deny, watchdog.FailedTimeout, "the watchdog did not answer within 100ms")
	absent := open(t, watchdog.Options{Target: "unix:" + t.TempDir() + "/s"})
	expect(t, absent.Ask(t.Context(), request()), policy.Deny, watchdog.FailedUnavailable, "the watchdog cannot be reached")
	dropped := open(t, watchdog.Options{Target: "unix:" + serve(t, func(c net.Conn) {
		c.Read(make([]byte, 1))
		c.(*net.UnixConn).Close() // with the rest unread: a reset
	})})
	if a := dropped.Ask(t.Context(), request()); a.Verdict != policy.Deny || a.Failure == "" {
		t.Errorf("a reset is %+v", a)
	}
}

// At most sixteen questions are asked at once; a place is waited for within the time.
func TestQuestionsAtOnceAreBounded(t *testing.T) {
	const most = 16
	var asked, peak atomic.Int64
	let := make(chan struct{})
	path := serve(t, func(c net.Conn) {
		peak.Store(max(peak.Load(), asked.Add(1)))
		readQuestion(c)
		<-let
		asked.Add(-1)
		io.WriteString(c, `{"decision":"allow"}`)
	})
	w := open(t, watchdog.Options{Target: "unix:" + path})
	answers := make(chan watchdog.Answer)
	for range 3 * most {
		go func() { answers <- w.Ask(t.Context(), request()) }()
	}
	await.True(t, "sixteen questions", func() bool { return asked.Load() == most })
	quick := open(t, watchdog.Options{Target: "unix:" + path, Timeout: short})
	expect(t, quick.Ask(t.Context(), request()), policy.Deny, watchdog.FailedTimeout, "the watchdog did not answer within 100ms")
	close(let)
	for range 3 * most {
		expect(t, await.One(t, answers, "an answer"), policy.Allow, "", "")
	}
	if peak.Load() > most+1 { // one of the other watchdog
		t.Errorf("%d questions at once", peak.Load())
	}
}

func TestPlaceIsPartOfTheTime(t *testing.T) {
	const most = 16
	path := serve(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	w := open(t, watchdog.Options{Target: "unix:" + path, Timeout: short})
	answers := make(chan watchdog.Answer)
	for range most + 1 {
		go func() { answers <- w.Ask(t.Context(), request()) }()
	}
	for range most + 1 {
		if a := await.One(t, answers, "an answer"); a.Failure != watchdog.FailedTimeout || a.Verdict != policy.Deny {
			t.Errorf("%+v", a)
		}
	}
}
