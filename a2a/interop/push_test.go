package interop

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// TestPush: configs are made, read, listed and deleted by the client, what it
// named is sent to until the end, and what it deleted is not.
func TestPush(t *testing.T) {
	base := serve(t, "--mode", "oneshot", "--push-allow-private", "--", "sh", "-c", "read l; sleep 60")
	forEach(t, func(t *testing.T, d dialect) {
		type push struct {
			auth, token, body string
		}
		pushed := make(chan push, 100)
		hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			pushed <- push{r.Header.Get("Authorization"), r.Header.Get("X-A2A-Notification-Token"), string(body)}
		}))
		defer hook.Close()
		ctx := t.Context()
		client := dial(t, base, d)
		request := message("go")
		request.Config = &a2a.SendMessageConfig{ReturnImmediately: true, PushConfig: &a2a.PushConfig{
			ID: "sent-along", URL: hook.URL + "/along", Token: "token", Auth: &a2a.PushAuthInfo{Scheme: "Bearer", Credentials: "secret"},
		}}
		result, err := client.SendMessage(ctx, request)
		if err != nil {
			t.Fatal(err)
		}
		id := result.(*a2a.Task).ID

		made, err := client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: id, ID: "mine", URL: "https://example.com/mine", Token: "t"})
		if err != nil || made.ID != "mine" || made.TaskID != id || made.URL != "https://example.com/mine" || made.Token != "t" {
			t.Fatalf("create: %+v %v", made, err)
		}
		got, err := client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: id, ID: "sent-along"})
		if err != nil || got.URL != hook.URL+"/along" || got.Auth == nil || got.Auth.Scheme != "Bearer" || got.Auth.Credentials != "secret" {
			t.Errorf("get: %+v %v", got, err)
		}
		all, err := client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: id})
		if err != nil || len(all) != 2 || all[0].ID != "sent-along" || all[1].ID != "mine" || all[1].TaskID != id {
			t.Errorf("list: %+v %v", all, err)
		}
		if err := client.DeleteTaskPushConfig(ctx, &a2a.DeleteTaskPushConfigRequest{TaskID: id, ID: "mine"}); err != nil {
			t.Errorf("delete: %v", err)
		}
		if _, err := client.GetTaskPushConfig(ctx, &a2a.GetTaskPushConfigRequest{TaskID: id, ID: "mine"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("get what was deleted: %v", err)
		}
		if _, err := client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: id, URL: "file:///etc/passwd"}); err == nil {
			t.Error("a file may be a receiver")
		}
		if _, err := client.ListTaskPushConfigs(ctx, &a2a.ListTaskPushConfigRequest{TaskID: "none"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("list of no task: %v", err)
		}

		if _, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: id}); err != nil {
			t.Fatal(err)
		}
		deadline := time.After(2 * time.Minute)
		for ended := false; !ended; {
			select {
			case p := <-pushed:
				if p.auth != "Bearer secret" || p.token != "token" {
					t.Errorf("%+v", p)
				}
				ended = strings.Contains(strings.ToLower(p.body), `canceled"`)
				if d.version == a2a.Version {
					var event a2a.StreamResponse // the client's own types read it
					if err := json.Unmarshal([]byte(p.body), &event); err != nil {
						t.Errorf("%v: %s", err, p.body)
					}
				}
			case <-deadline:
				t.Fatal("the end was never told")
			}
		}
	})
}
