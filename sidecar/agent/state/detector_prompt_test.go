package state_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// child is a look at another process than the one that has read the message.
func child(kind waits.Kind) waits.Look { return waits.Look{Kind: kind, PID: 8, Switches: 1} }

// TestPromptOrQuestion: a row at which the program reads is its prompt, or a question that only ends
// like the prompt.
func TestPromptOrQuestion(t *testing.T) {
	for _, c := range []struct {
		name, prompt, row string
		see               waits.Look
		want              profile.State
	}{
		{"output without a newline", "$ ", "foo$ ", woken(reads), profile.Ready},
		{"words without a newline", "$ ", "hello, world$ ", woken(reads), profile.Ready},
		{"a child's question that ends so", "$ ", "Amount in US$ ", child(waits.Reads), profile.Asking},
		{"the shell's own question that ends so", "$ ", "Amount in US$ ", woken(polls), profile.Asking},
		{"a question that ends in another sign", "$ ", "Which one > ", child(waits.Reads), profile.Asking},
		{"the same, of the program itself", "$ ", "Which one > ", woken(reads), profile.Asking},
		{"a question that ends in the sign, apart", "> ", "Which one > ", woken(reads), profile.Asking},
		{"a question with a name", "$ ", "New password for root@vm: # ", child(waits.Reads), profile.Asking},
		{"a question of one word", "$ ", "Continue > ", child(waits.Reads), profile.Asking},
		{"the prompt of another program", "$ ", "sqlite> ", child(waits.Reads), profile.Ready},
		{"the prompt of another shell", "$ ", "root@vm /work# ", child(waits.Polls), profile.Ready},
		{"a prompt of words, elsewhere", "bob at vm in /a $ ", "bob at vm in /b $ ", woken(reads), profile.Ready},
		{"a directory's name and a sign", "work > ", "other > ", woken(reads), profile.Ready},
		{"a prompt with a name, of another process", "acme> ", "fooacme> ", child(waits.Reads), profile.Ready},
		{"a prompt with a name, after a blank", "acme> ", "50 % acme> ", woken(reads), profile.Ready},
		{"the row of the first question", "name? ", "name? ", woken(reads), profile.Ready},
		{"another question with its word", "name? ", "Your name? ", woken(reads), profile.Asking},
		{"another question with a part of it", "name: ", "Surname: ", woken(reads), profile.Asking},
		{"behind blanks", "name: ", "   name: ", woken(reads), profile.Ready},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWatched(t, "generic")
			w.answers(c.prompt, "go", "out", c.row)
			w.see = c.see
			w.pass(40 * time.Millisecond)
			v := w.is(c.want, state.SourceKernel)
			if c.want == profile.Asking && !strings.HasSuffix(v.Message, strings.TrimSpace(c.row)) {
				t.Errorf("%q", v.Message)
			}
		})
	}
}

// TestPromptsRemembered: the last 16 prompts are known.
func TestPromptsRemembered(t *testing.T) {
	names := "abcdefghijklmnopqrstuvwxyz"
	for others, want := range map[int]profile.State{15: profile.Ready, 16: profile.Asking} {
		w := newWatched(t, "generic")
		w.see = reads
		for i := range others + 1 {
			w.show("", fmt.Sprintf("prompt %c=", names[i]))
			w.see = woken(w.see)
			w.pass(time.Second)
			w.d.Ended("test", "it is over", 1, w.now)
			w.d.Submitted(w.now)
			w.d.Entered(w.see, w.now)
		}
		w.see = woken(w.see)
		w.now = w.now.Add(time.Millisecond)
		w.show("", "out", "prompt a=")
		w.pass(100 * time.Millisecond)
		if v, _ := w.d.Verdict(w.now); v.State != want {
			t.Errorf("after %d other prompts: %+v", others, v)
		}
	}
}

// TestLongQuestion: a question has up to twelve rows above the cursor's.
func TestLongQuestion(t *testing.T) {
	for above, first := range map[int]string{12: "row 1", 13: "row 2"} {
		w := newWatched(t, "generic")
		var rows []string
		for i := range above {
			rows = append(rows, fmt.Sprintf("row %d", i+1))
		}
		w.answers("$ ", "go", append(rows, "Well? ")...)
		w.see = woken(reads)
		w.pass(100 * time.Millisecond)
		if v := w.is(profile.Asking, state.SourceKernel); !strings.HasPrefix(v.Message, first+"\n") {
			t.Errorf("%d rows above: %q", above, v.Message)
		}
	}
}

// TestRedraws: a program that has written above its text four times draws a screen, so its wait for
// a key is no prompt. A line editor does that up to three times.
func TestRedraws(t *testing.T) {
	for raised, want := range map[uint64]string{3: state.SourceKernel, 4: state.SourceSubmit} {
		w := newWatched(t, "generic")
		w.tty.Canonical = false
		w.answers("$ ", "go", "Amount, please ")
		w.s.Drawing.Raised, w.tty.ChildForeground = raised, false
		w.show("", "$ go", "Amount, please ")
		w.see = woken(watches)
		w.see.Kind, w.see.Timeout = waits.Polls, true // such a wait of one that draws has to last
		w.pass(200 * time.Millisecond)
		if v, _ := w.d.Verdict(w.now); v.Source != want {
			t.Errorf("raised %d times: %+v", raised, v)
		}
	}
}
