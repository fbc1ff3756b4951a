package turn_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

func TestDrawnPermission(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	for _, c := range []struct{ reply, chose string }{{"1", "yes"}, {"reject_once", "no"}, {"Yes, and don't ask again for this", "always"}} {
		k := r.send("ASK touch x")
		asks := r.until(k, a2a.TaskState.Interrupted)
		if asks.Status.State != a2a.StateAuthRequired {
			t.Fatalf("task is %s (%q)", asks.Status.State, status(asks))
		}
		data := string(asks.Status.Message.Parts[1].Data)
		for _, part := range []string{`"question":"Do you want to proceed?"`, `"kind":"reject_once"`, `"detail":`, "touch x #1"} {
			if !strings.Contains(data, part) {
				t.Errorf("%s is not in %s", part, data)
			}
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(c.reply)}}); err != nil {
			t.Fatal(err)
		}
		want(t, r.end(k), a2a.StateCompleted, "chose "+c.chose)
	}
}

// TestDrawnMessageWhileAsked: it waits for the answer, and is no answer.
func TestDrawnMessageWhileAsked(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	asks := r.send("ASK touch x")
	r.until(asks, a2a.TaskState.Interrupted)
	next := r.send("1")
	if err := asks.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("3")}}); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(asks), a2a.StateCompleted, "chose no")
	want(t, r.end(next), a2a.StateCompleted, "ECHO: 1")
}

func TestDrawnTwoPermissions(t *testing.T) {
	t.Parallel()
	r := drawing(t)
	k := r.send("TWICE go")
	for n := range 2 {
		asks := r.until(k, func(s a2a.TaskState) bool { return s.Interrupted() || s.Terminal() })
		if !strings.Contains(string(asks.Status.Message.Parts[1].Data), "go #"+strconv.Itoa(n+1)) {
			t.Fatalf("task is %s (%q)", asks.Status.State, status(asks))
		}
		if err := k.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("1")}}); err != nil {
			t.Fatal(err)
		}
	}
	want(t, r.end(k), a2a.StateCompleted, "chose yes\nchose yes")
}

// TestDrawnPermissionNobodyGives: the safe answer, never the default.
func TestDrawnPermissionNobodyGives(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*turn.Options){
		"headless": func(o *turn.Options) { o.Headless = true },
		"expired":  func(o *turn.Options) { o.AskTimeout = 500 * time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := drawingWith(t, set)
			got := r.ask("ASK rm x")
			want(t, got, a2a.StateCompleted, "chose no")
			if meta(got.Metadata, "undecided") == "" {
				t.Errorf("metadata %v", got.Metadata)
			}
		})
	}
}
