package metrics_test

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/metrics"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// has fails for every line that the text lacks.
func has(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("there is no line %s", line)
		}
	}
	if t.Failed() {
		t.Logf("the text:\n%s", text)
	}
}

func TestText(t *testing.T) {
	m := metrics.New("v9")
	m.Began()
	m.Began()
	m.Answered(server.Observation{Operation: "SendMessage", Binding: "rest", Version: a2a.V10, Status: 200, Duration: 30 * time.Millisecond})
	m.Answered(server.Observation{Binding: "http", Status: 404, Duration: time.Hour})
	m.Began()
	m.StreamBegan()
	m.StreamBegan()
	m.StreamEnded()
	m.Received(3)
	m.Sent(5)
	m.TaskCreated()
	m.TaskFinished(nil, task.Finished{State: a2a.StateCompleted, Duration: time.Second})
	m.SubscribersCut(2)
	m.TurnEnded(a2a.StateInputRequired, time.Second)
	m.CallEnded("denied", time.Millisecond)
	m.CallDecided("deny", "watchdog")
	m.WatchdogFailed("timeout")
	m.ManifestJudged(nil)
	m.ManifestJudged(errors.New("bad"))
	has(t, string(m.Text(metrics.Levels{
		Tasks: map[a2a.TaskState]int{a2a.StateWorking: 3}, TurnsWaiting: 4, CallsRunning: 5, Processes: 6, Tools: 7, Ready: true,
		Push: &metrics.Push{Delivered: 8, Receivers: 9}, Callers: &metrics.Callers{Taken: 12, Refused: 13, CertificateUntil: time.Unix(1800000000, 0)}, Store: &metrics.Store{Commits: 10, Queued: 11, Faulty: true},
		Audit: &metrics.Audit{Records: 14, Bytes: 15, Syncs: 16, Lost: 17},
	})),
		`sidecar_build_info{version="v9"} 1`,
		`sidecar_requests_total{operation="SendMessage",binding="rest",version="1.0",code="2xx"} 1`,
		`sidecar_requests_total{operation="none",binding="http",version="",code="4xx"} 1`,
		`sidecar_requests_in_flight 1`, `sidecar_streams_open 1`, `sidecar_streams_total 2`,
		`sidecar_request_duration_seconds_bucket{operation="SendMessage",le="0.025"} 0`,
		`sidecar_request_duration_seconds_bucket{operation="SendMessage",le="0.1"} 1`,
		`sidecar_request_duration_seconds_bucket{operation="none",le="600.0"} 0`,
		`sidecar_request_duration_seconds_bucket{operation="none",le="+Inf"} 1`,
		`sidecar_request_duration_seconds_count{operation="none"} 1`,
		`sidecar_request_duration_seconds_sum{operation="none"} 3600`,
		`sidecar_received_bytes_total 3`, `sidecar_sent_bytes_total 5`,
		`sidecar_tasks_created_total 1`, `sidecar_tasks_finished_total{state="completed"} 1`, `sidecar_subscribers_cut_total 2`,
		`sidecar_task_duration_seconds_bucket{le="0.5"} 0`, `sidecar_task_duration_seconds_bucket{le="2.5"} 1`, `sidecar_task_duration_seconds_count 1`,
		`sidecar_turns_total{state="input_required"} 1`, `sidecar_calls_total{outcome="denied"} 1`,
		`sidecar_manifest_reloads_total{result="ok"} 1`, `sidecar_manifest_reloads_total{result="refused"} 1`,
		`sidecar_tasks{state="working"} 3`, `sidecar_tasks{state="auth_required"} 0`,
		`sidecar_turns_waiting 4`, `sidecar_calls_running 5`, `sidecar_processes 6`, `sidecar_manifest_tools 7`, `sidecar_ready 1`,
		`sidecar_push_deliveries_total{result="delivered"} 8`, `sidecar_push_receivers 9`,
		`sidecar_credentials_reloads_total{result="ok"} 12`, `sidecar_credentials_reloads_total{result="refused"} 13`,
		`sidecar_certificate_expiry_timestamp_seconds 1800000000`,
		`sidecar_call_decisions_total{verdict="deny",kind="watchdog"} 1`, `sidecar_watchdog_failures_total{reason="timeout"} 1`,
		`sidecar_audit_records_total 14`, `sidecar_audit_written_bytes_total 15`, `sidecar_audit_syncs_total 16`, `sidecar_audit_lost_total 17`,
		`sidecar_store_commits_total 10`, `sidecar_store_queued_bytes 11`, `sidecar_store_ok 0`,
	)
}

// TestTextIsOpenMetrics: the families stand apart, each with its type before its
// samples, the samples have the names that their type asks for, none is there
// twice, and the text says where it ends.
func TestTextIsOpenMetrics(t *testing.T) {
	m := metrics.New("v9")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				m.Answered(server.Observation{Operation: "GetTask", Binding: "jsonrpc", Version: a2a.V03, Status: 200})
				m.CallEnded("final", time.Millisecond)
				m.Text(metrics.Levels{})
			}
		})
	}
	all.Wait()
	text := string(m.Text(metrics.Levels{Push: &metrics.Push{}, Store: &metrics.Store{}}))
	has(t, text, `sidecar_requests_total{operation="GetTask",binding="jsonrpc",version="0.3",code="2xx"} 400`, `sidecar_calls_total{outcome="final"} 400`)
	has(t, text, fmt.Sprintf("go_gomaxprocs %d", runtime.GOMAXPROCS(0)))
	for _, name := range []string{"go_goroutines", "process_open_fds", "process_resident_memory_bytes", "go_memory_bytes"} {
		if !regexp.MustCompile(`(?m)^` + name + ` [1-9]`).MatchString(text) {
			t.Errorf("no %s:\n%s", name, text)
		}
	}
	body, ended := strings.CutSuffix(text, "# EOF\n")
	if !ended {
		t.Error("no end")
	}
	suffixes := map[string][]string{"counter": {"_total"}, "gauge": {""}, "histogram": {"_bucket", "_sum", "_count"}}
	sample := regexp.MustCompile(`^([a-z_]+)(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? [-+0-9.e]+$`)
	family, kind, seen := "", "", map[string]bool{}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		if fields := strings.Fields(line); fields[0] == "#" {
			if fields[1] == "TYPE" {
				family, kind = fields[2], fields[3]
			}
			if once := fields[1] + family; fields[2] != family || seen[once] {
				t.Errorf("%q in the family %s, or a second time", line, family)
			} else {
				seen[once] = true
			}
			continue
		}
		match := sample.FindStringSubmatch(line)
		if match == nil {
			t.Errorf("no sample: %q", line)
			continue
		}
		suffix, ours := strings.CutPrefix(match[1], family)
		if !ours || !slices.Contains(suffixes[kind], suffix) {
			t.Errorf("%q in the %s %s", line, kind, family)
		}
		if seen[match[1]+match[2]] {
			t.Errorf("twice: %q", line)
		}
		seen[match[1]+match[2]] = true
	}
}

// BenchmarkAnswered is what each request costs.
func BenchmarkAnswered(b *testing.B) {
	m := metrics.New("v9")
	o := server.Observation{Operation: "GetTask", Binding: "jsonrpc", Version: a2a.V03, Status: 200, Duration: time.Millisecond}
	for b.Loop() {
		m.Began()
		m.Answered(o)
	}
}
