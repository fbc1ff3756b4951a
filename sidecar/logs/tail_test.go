package logs_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/logs"
)

func joined(lines [][]byte) string { return string(bytes.Join(lines, []byte("|"))) }

// A tail gives the last lines, and those that come after.
func TestTail(t *testing.T) {
	var tail logs.Tail
	for i := range 5 {
		fmt.Fprintf(&tail, "line %d\n", i)
	}
	for n, want := range map[int]string{2: "line 3|line 4", 0: "", -1: "line 0|line 1|line 2|line 3|line 4", 99: "line 0|line 1|line 2|line 3|line 4"} {
		if lines, missed, next, _ := tail.From(tail.Last(n)); joined(lines) != want || missed != 0 || next != 5 {
			t.Errorf("the last %d: %q, %d missed, next is %d", n, lines, missed, next)
		}
	}
	_, _, next, more := tail.From(tail.Last(0))
	select {
	case <-more:
		t.Fatal("there is more before there is")
	default:
	}
	fmt.Fprintln(&tail, "line 5")
	<-more
	if lines, _, next, _ := tail.From(next); joined(lines) != "line 5" || next != 6 {
		t.Errorf("then came %q, next is %d", lines, next)
	}
}

// It stays small, and who is behind learns how much it missed.
func TestTailIsBounded(t *testing.T) {
	var tail logs.Tail
	line := strings.Repeat("x", 1000)
	for range 5000 {
		fmt.Fprintln(&tail, line)
	}
	lines, missed, next, _ := tail.From(0)
	if size := len(bytes.Join(lines, nil)); size > logs.Limit || size < logs.Limit-1000 {
		t.Errorf("%d bytes are kept", size)
	}
	if missed+uint64(len(lines)) != 5000 || next != 5000 {
		t.Errorf("%d lines, %d missed, next is %d", len(lines), missed, next)
	}
}

// Records below the level are not kept.
func TestHandler(t *testing.T) {
	var tail logs.Tail
	log := slog.New(tail.Handler(slog.LevelInfo))
	log.Debug("no")
	log.With("pid", 1).Info("yes", "k", "v")
	lines, _, _, _ := tail.From(0)
	if len(lines) != 1 || !strings.HasSuffix(string(lines[0]), `"msg":"yes","pid":1,"k":"v"}`) {
		t.Errorf("%q", lines)
	}
}
