package task_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// asked is what Ask returned.
type asked struct {
	answer task.Answer
	err    error
}

// ask asks in the background and returns once the question is open.
func ask(t *testing.T, ctx context.Context, k *task.Task, q task.Question) <-chan asked {
	t.Helper()
	done := make(chan asked, 1)
	go func() {
		a, err := k.Ask(ctx, q)
		done <- asked{a, err}
	}()
	synctest.Wait()
	if !k.Asking() {
		t.Fatal("no question is open")
	}
	return done
}

var colours = task.Question{Text: "which?", Options: []task.Option{{ID: "r", Label: "Red"}, {ID: "g"}}}

func TestAskAndAnswer(t *testing.T) {
	for _, c := range []struct {
		name  string
		q     task.Question
		reply string
		want  task.Answer
	}{
		{"free text", task.Question{Text: "name?"}, " Ada\n", task.Answer{Text: "Ada"}},
		{"by id", colours, "r", task.Answer{Text: "Red", OptionID: "r"}},
		{"by label", colours, "Red", task.Answer{Text: "Red", OptionID: "r"}},
		{"in another case", colours, "RED", task.Answer{Text: "Red", OptionID: "r"}},
		{"without a label", colours, "g", task.Answer{Text: "g", OptionID: "g"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTask(task.Options{})
				stream := k.Subscribe()
				done := ask(t, t.Context(), k, c.q)
				if got := k.State(); got != a2a.StateInputRequired {
					t.Errorf("state %q while asking", got)
				}
				if err := k.Answer(message(c.reply)); err != nil {
					t.Fatal(err)
				}
				if got := k.State(); got != a2a.StateWorking {
					t.Errorf("state %q after the answer", got)
				}
				got := <-done
				if m := got.answer.Message; m == nil || m.Parts[0].Text != c.reply {
					t.Errorf("the answering message is %+v", m)
				}
				if got.answer.Message = nil; got.err != nil || got.answer != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
				k.Finish(a2a.StateCompleted, nil, nil)
				events, _ := drain(t.Context(), stream)
				if q := events[1].Status.Status; q.State != a2a.StateInputRequired || q.Message.Parts[0].Text != c.q.Text {
					t.Errorf("subscribers saw %+v", q)
				}
				if h := k.Snapshot(nil, false).History; len(h) != 3 || h[1].Role != a2a.RoleAgent || h[2].Role != a2a.RoleUser {
					t.Errorf("history has %d messages, want message, question, answer", len(h))
				}
			})
		})
	}
}

func TestAnswerThatMatchesNothingKeepsTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		done := ask(t, t.Context(), k, colours)
		err := k.Answer(message("blue"))
		if !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("got %v", err)
		}
		if want := "the answer must be one of: r (Red), g"; err.Error() != want {
			t.Errorf("got %q", err)
		}
		if !k.Asking() || k.State() != a2a.StateInputRequired || len(k.Snapshot(nil, false).History) != 2 {
			t.Error("the question is gone, or the answer in the history")
		}
		k.Answer(message("g"))
		<-done
	})
}

// TestAnswerWithoutTextKeepsTheQuestion: a file alone says nothing to who asked
// for words; an address does.
func TestAnswerWithoutTextKeepsTheQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		done := ask(t, t.Context(), k, task.Question{Text: "where?"})
		err := k.Answer(&a2a.Message{Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: []byte{1}}}})
		if !errors.Is(err, a2a.ErrInvalidParams) || !k.Asking() {
			t.Errorf("%v, and the question is open: %v", err, k.Asking())
		}
		if err := k.Answer(&a2a.Message{Parts: []a2a.Part{{Kind: a2a.PartURL, URL: "https://example.com/"}}}); err != nil {
			t.Fatal(err)
		}
		if got := <-done; got.answer.Text != "https://example.com/" {
			t.Errorf("the answer is %+v", got)
		}
	})
}

func TestOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		done := ask(t, t.Context(), k, colours)
		if _, err := k.Ask(t.Context(), colours); !errors.Is(err, task.ErrQuestionOpen) {
			t.Errorf("got %v", err)
		}
		k.Answer(message("r"))
		<-done
		if err := k.Answer(message("r")); !errors.Is(err, task.ErrNoQuestion) || !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("a second answer got %v", err)
		}
	})
}

func TestQuestionsAreWithdrawn(t *testing.T) {
	gone := errors.New("connection lost")
	for _, c := range []struct {
		name  string
		end   func(k *task.Task, lose func())
		want  error
		state a2a.TaskState
	}{
		{"timeout", func(*task.Task, func()) { <-time.After(time.Minute) }, task.ErrTimeout, a2a.StateWorking},
		{"connection lost", func(_ *task.Task, lose func()) { lose() }, gone, a2a.StateWorking},
		{"canceled", func(k *task.Task, _ func()) { k.Cancel(task.ErrCanceled) }, task.ErrCanceled, a2a.StateWorking},
		{"finished", func(k *task.Task, _ func()) { k.Finish(a2a.StateFailed, nil, nil) }, task.ErrFinished, a2a.StateFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTask(task.Options{})
				ctx, cancel := context.WithCancelCause(t.Context())
				q := colours
				q.Timeout = time.Minute
				done := ask(t, ctx, k, q)
				c.end(k, func() { cancel(gone) })
				if got := <-done; !errors.Is(got.err, c.want) {
					t.Errorf("got %v, want %v", got.err, c.want)
				}
				if k.Asking() || k.State() != c.state {
					t.Errorf("asking %v, state %q", k.Asking(), k.State())
				}
				if err := k.Continue(message("go on")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
					t.Errorf("a message to a task that somebody runs got %v", err)
				}
			})
		})
	}
}

func TestAuthRequired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		q := colours
		q.State = a2a.StateAuthRequired
		done := ask(t, t.Context(), k, q)
		if k.State() != a2a.StateAuthRequired {
			t.Errorf("state %q", k.State())
		}
		k.Answer(message("r"))
		<-done
	})
}

func TestContinue(t *testing.T) {
	k := newTask(task.Options{})
	if err := k.Continue(message("too early")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("a working task took a message: %v", err)
	}
	k.Status(a2a.StateInputRequired, message("more?"), nil)
	m := message("yes")
	if err := k.Continue(m); err != nil {
		t.Fatal(err)
	}
	if k.Turn() != 2 || k.State() != a2a.StateWorking || k.Message() != m || m.TaskID != k.ID() || m.ID == "" {
		t.Errorf("turn %d, state %q, message %+v", k.Turn(), k.State(), k.Message())
	}
	if err := k.Continue(message("again")); err == nil {
		t.Error("one wait took two messages")
	}
	k.Finish(a2a.StateCompleted, nil, nil)
	if err := k.Continue(message("late")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("got %v", err)
	}
}

// TestQuestionOfAPermission: programs get what is asked and what each answer
// means, and may answer by that.
func TestQuestionOfAPermission(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newTask(task.Options{})
		done := ask(t, t.Context(), k, task.Question{Text: "May I?", Detail: "rm x", State: a2a.StateAuthRequired, Options: []task.Option{
			{ID: "1", Label: "Yes", Kind: "allow_once"}, {ID: "2", Label: "No", Kind: "reject_once"}, {ID: "3", Label: "Never", Kind: "other"}, {ID: "4", Label: "Stop", Kind: "other"},
		}})
		got := k.Snapshot(nil, false)
		const want = `{"question":"May I?","options":[{"id":"1","label":"Yes","kind":"allow_once"},{"id":"2","label":"No","kind":"reject_once"},{"id":"3","label":"Never","kind":"other"},{"id":"4","label":"Stop","kind":"other"}],"detail":"rm x"}`
		if parts := got.Status.Message.Parts; got.Status.State != a2a.StateAuthRequired || len(parts) != 2 || string(parts[1].Data) != want {
			t.Errorf("state %s, parts %v", got.Status.State, parts)
		}
		if err := k.Answer(message("other")); err == nil {
			t.Error("an ambiguous kind was taken for an answer")
		}
		if err := k.Answer(message("reject_once")); err != nil {
			t.Error(err)
		}
		if a := <-done; a.answer.OptionID != "2" {
			t.Errorf("answer %+v", a)
		}
	})
}

// Who may not grant anything answers the question that it was asked, and no other: neither an
// earlier one's answer nor a permission is taken.
func TestAnswerQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		q     task.Question
		stale bool
		ok    bool
	}{
		"a text":                        {q: task.Question{Text: "name?"}, ok: true},
		"options":                       {q: colours, ok: true},
		"another question":              {q: colours, stale: true},
		"auth-required":                 {q: task.Question{Text: "may I?", State: a2a.StateAuthRequired, Options: colours.Options}},
		"an option that allows":         {q: task.Question{Text: "may I?", Options: []task.Option{{ID: "r", Kind: "allow_once"}}}},
		"an approval in input-required": {q: task.Question{Text: "may I?", Accept: func(*a2a.Message) (task.Answer, error) { return task.Answer{Text: "yes"}, nil }}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := newTask(task.Options{})
				ctx, stop := context.WithCancel(t.Context())
				done := ask(t, ctx, k, c.q)
				asks := k.Snapshot(nil, false).Status.Message.ID
				if c.stale {
					asks = "m-0"
				}
				err := k.AnswerQuestion(asks, message("r"))
				if !c.ok && (!errors.Is(err, a2a.ErrUnsupportedOperation) || !k.Asking()) || c.ok && err != nil {
					t.Errorf("answered: %v", err)
				}
				if err := k.AnswerQuestion("", message("r")); !errors.Is(err, a2a.ErrUnsupportedOperation) {
					t.Errorf("nothing was asked: %v", err)
				}
				stop()
				<-done
			})
		})
	}
}
