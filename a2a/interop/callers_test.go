package interop

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

const (
	aliceToken = "alice-0123456789abcdef"
	bobToken   = "bob-0123456789abcdef"
)

// bearer puts a token on each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b != "" {
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// serveTokens runs the sidecar for alice and bob.
func serveTokens(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte("alice:"+aliceToken+"\nbob:"+bobToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, append([]string{"--token-file", file, "--mode", "oneshot", "--"}, args...)...)
}

// taskOperations are all that one can do with a task that one knows the id of.
func taskOperations() map[string]func(context.Context, *a2aclient.Client, a2a.TaskID) error {
	return map[string]func(context.Context, *a2aclient.Client, a2a.TaskID) error{
		"get": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			_, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
			return err
		},
		"cancel": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			_, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id})
			return err
		},
		"subscribe": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			return first(c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: id}))
		},
		"continue": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			r := message("go on")
			r.Message.TaskID = id
			_, err := c.SendMessage(ctx, r)
			return err
		},
		"continue, streaming": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			r := message("go on")
			r.Message.TaskID = id
			return first(c.SendStreamingMessage(ctx, r))
		},
		"create push": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			_, err := c.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: id, ID: "p", URL: "https://receiver.example/"})
			return err
		},
		"get push": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			_, err := c.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: id, ID: "p"})
			return err
		},
		"list push": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			_, err := c.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: id})
			return err
		},
		"delete push": func(ctx context.Context, c *a2aclient.Client, id a2a.TaskID) error {
			return c.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: "p"})
		},
	}
}

// first is the error of a stream that should not be one.
func first(events iter.Seq2[a2a.Event, error]) error {
	for _, err := range events {
		return err
	}
	return nil
}

// TestTwoCallers: whatever one caller tries with the other's task is answered as
// if there were no such task, in every dialect.
func TestTwoCallers(t *testing.T) {
	base := serveTokens(t, "sh", "-c", "echo started; exec sleep 60")
	forEach(t, func(t *testing.T, d dialect) {
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		alice := dialWith(t, base, d, &http.Client{Transport: bearer(aliceToken)})
		bob := dialWith(t, base, d, &http.Client{Transport: bearer(bobToken)})
		id := startTask(t, ctx, alice)
		task, err := alice.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		const nobodys a2a.TaskID = "00000000-0000-4000-8000-000000000000"
		for name, try := range taskOperations() {
			told, unknown := try(ctx, bob, id), try(ctx, bob, nobodys)
			if told == nil || unknown == nil {
				t.Errorf("%s: bob was let: %v; of nobody's task he was told %v", name, told, unknown)
				continue
			}
			if got, want := strings.ReplaceAll(told.Error(), string(id), "ID"), strings.ReplaceAll(unknown.Error(), string(nobodys), "ID"); got != want {
				t.Errorf("%s: bob was told\n%s\nand of nobody's task\n%s", name, got, want)
			}
		}
		for _, name := range []string{"get", "subscribe", "create push", "get push", "list push", "delete push"} {
			if err := taskOperations()[name](ctx, alice, id); err != nil {
				t.Errorf("%s: alice was told %v", name, err)
			}
		}
		if d.version == a2a.Version {
			if page, err := bob.ListTasks(ctx, &a2a.ListTasksRequest{}); err != nil || len(page.Tasks) != 0 || page.TotalSize != 0 {
				t.Errorf("bob's list: %+v, %v", page, err)
			}
			if page, err := alice.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: task.ContextID}); err != nil || len(page.Tasks) != 1 {
				t.Errorf("alice's list: %+v, %v", page, err)
			}
		}
		inHers := message("hello")
		inHers.Message.ContextID = task.ContextID
		if _, err := bob.SendMessage(ctx, inHers); err == nil || errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("bob's message in alice's context: %v", err)
		}
		if ended, err := alice.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); err != nil || ended.Status.State != a2a.TaskStateCanceled {
			t.Errorf("alice's cancel: %+v, %v", ended, err)
		}
		if got, err := alice.GetTask(ctx, &a2a.GetTaskRequest{ID: id}); err != nil || len(got.History) != 1 {
			t.Errorf("bob left something on alice's task: %+v, %v", got, err)
		}
	})
}

// TestTokens: without a token, or with one that nobody has, there is the card
// and nothing else.
func TestTokens(t *testing.T) {
	base := serveTokens(t, "cat")
	forEach(t, func(t *testing.T, d dialect) {
		for name, token := range map[string]bearer{"none": "", "wrong": "eve-0123456789abcdef", "cut short": bearer(aliceToken[:len(aliceToken)-1])} {
			client := dialWith(t, base, d, &http.Client{Transport: token})
			if _, err := client.SendMessage(t.Context(), message("hello")); err == nil {
				t.Errorf("%s: a message was taken", name)
			}
			if err := first(client.SendStreamingMessage(t.Context(), message("hello"))); err == nil {
				t.Errorf("%s: a stream was begun", name)
			}
			for operation, try := range taskOperations() {
				if err := try(t.Context(), client, "x"); err == nil || errors.Is(err, a2a.ErrTaskNotFound) {
					t.Errorf("%s, %s: %v", name, operation, err)
				}
			}
		}
		client := dialWith(t, base, d, &http.Client{Transport: bearer(aliceToken)})
		if result, err := client.SendMessage(t.Context(), message("hello")); err != nil || answer(result.(*a2a.Task)) != "hello" {
			t.Errorf("with a token: %+v, %v", result, err)
		}
		if d.version == a2a.Version {
			if card, err := client.GetExtendedAgentCard(t.Context(), &a2a.GetExtendedAgentCardRequest{}); err != nil || card.Name != "cat" {
				t.Errorf("the extended card: %+v, %v", card, err)
			}
		}
	})
}
