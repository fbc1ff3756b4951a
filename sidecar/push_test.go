package sidecar_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// hook is a receiver of notifications.
type hook struct {
	*httptest.Server
	mu     sync.Mutex
	status []int // of the answers to come; 200 after them
	got    []notification
}

type notification struct {
	header http.Header
	body   string
	at     time.Time
}

func newHook(t testing.TB, status ...int) *hook {
	h := &hook{status: status}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // cut off
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.got = append(h.got, notification{r.Header, string(body), time.Now()})
	if len(h.status) > 0 {
		w.WriteHeader(h.status[0])
		h.status = h.status[1:]
	}
}

func (h *hook) all() []notification {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.got[:len(h.got):len(h.got)]
}

// ended reports whether the last notification tells the end of a task.
func (h *hook) ended() bool {
	all := h.all()
	if len(all) == 0 {
		return false
	}
	last := strings.ToLower(all[len(all)-1].body)
	return strings.Contains(last, `completed"`) || strings.Contains(last, `failed"`) || strings.Contains(last, `canceled"`)
}

// rpc makes a JSON-RPC request and returns the result.
func (r *running) rpc(method, params string) json.RawMessage {
	r.t.Helper()
	rep := r.do("POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
	var answer struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal([]byte(rep.body), &answer); err != nil || answer.Error != nil {
		r.t.Fatalf("%s: %d %s", method, rep.status, rep.body)
	}
	return answer.Result
}

// TestPushInsideSend: a config inside of a message is in force before the task
// begins, in both versions, and says who sends.
func TestPushInsideSend(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--push-allow-private", "--", "sh", "-c", "read l; echo one; echo two $l")
	for version, send := range map[string]string{
		"1.0": `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},
			"configuration":{"taskPushNotificationConfig":{"url":"URL/hook?x=1","token":"the-token","authentication":{"scheme":"Bearer","credentials":"the-secret"}}}}}`,
		"0.3": `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]},
			"configuration":{"blocking":true,"pushNotificationConfig":{"url":"URL/hook?x=1","token":"the-token","authentication":{"schemes":["Bearer"],"credentials":"the-secret"}}}}}`,
	} {
		h := newHook(t)
		rep := r.do("POST", "/", "application/json", strings.Replace(send, "URL", h.URL, 1))
		if rep.status != 200 || strings.Contains(rep.body, `"error"`) {
			t.Fatalf("%s: %s", version, rep.body)
		}
		await.True(r.t, "the end is told", h.ended)
		var text strings.Builder
		for _, n := range h.all() {
			if n.header.Get("Authorization") != "Bearer the-secret" || n.header.Get("X-A2A-Notification-Token") != "the-token" || !strings.HasPrefix(n.header.Get("User-Agent"), "a2a-sidecar/") {
				t.Errorf("%s: %v", version, n.header)
			}
			var e struct {
				Kind           string
				ArtifactUpdate struct {
					Artifact struct{ Parts []struct{ Text string } }
				}
			}
			if err := json.Unmarshal([]byte(n.body), &e); err != nil {
				t.Fatal(err)
			}
			if want := map[string]string{"1.0": "", "0.3": "task"}[version]; e.Kind != want {
				t.Errorf("%s: %s", version, n.body)
			}
			for _, p := range e.ArtifactUpdate.Artifact.Parts {
				text.WriteString(p.Text)
			}
		}
		all := h.all()
		last := all[len(all)-1]
		switch version {
		case "1.0":
			if text.String() != "one\ntwo x\n" && !strings.Contains(all[0].body, `one\ntwo x\n`) || last.header.Get("Content-Type") != "application/a2a+json" {
				t.Errorf("1.0: %q in %+v", text.String(), all)
			}
		case "0.3":
			if !strings.Contains(last.body, `one\ntwo x\n`) || last.header.Get("Content-Type") != "application/json" {
				t.Errorf("0.3: %s", last.body)
			}
		}
	}
	for _, secret := range []string{"the-token", "the-secret", "hook?"} {
		if strings.Contains(r.log.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestPushOnATask: configs of a running task are made, read, listed, deleted;
// a deleted one gets nothing more, and one without an id is the only one of its
// kind in 0.3.
func TestPushOnATask(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--push-allow-private", "--", "sh", "-c", "read l; sleep 61")
	id := r.begin("x").ID
	stays, goes, old, replaced := newHook(t), newHook(t), newHook(t), newHook(t)
	config := func(h *hook) string {
		return fmt.Sprintf(`{"taskId":%q,"url":%q,"token":"t","authentication":{"scheme":"Bearer","credentials":"c"}}`, id, h.URL)
	}
	var made struct{ ID, TaskID, URL, Token string }
	if err := json.Unmarshal(r.rpc("CreateTaskPushNotificationConfig", config(stays)), &made); err != nil || made.ID == "" || made.TaskID != id || made.URL != stays.URL || made.Token != "t" {
		t.Fatalf("%+v %v", made, err)
	}
	var second struct{ ID string }
	if err := json.Unmarshal(r.rpc("CreateTaskPushNotificationConfig", config(goes)), &second); err != nil {
		t.Fatal(err)
	}
	ref := fmt.Sprintf(`{"taskId":%q,"id":%q}`, id, second.ID)
	if got := string(r.rpc("GetTaskPushNotificationConfig", ref)); !strings.Contains(got, goes.URL) {
		t.Errorf("get: %s", got)
	}
	for _, h := range []*hook{replaced, old} { // 0.3 sets the same one twice
		set := r.rpc("tasks/pushNotificationConfig/set", fmt.Sprintf(`{"taskId":%q,"pushNotificationConfig":{"url":%q}}`, id, h.URL))
		if !strings.Contains(string(set), `"id":"`+id+`"`) {
			t.Errorf("set: %s", set)
		}
	}
	if got := string(r.rpc("tasks/pushNotificationConfig/get", fmt.Sprintf(`{"id":%q}`, id))); !strings.Contains(got, old.URL) {
		t.Errorf("0.3 get: %s", got)
	}
	for range 2 { // deleting is idempotent
		r.rpc("DeleteTaskPushNotificationConfig", ref)
	}
	list := string(r.rpc("ListTaskPushNotificationConfigs", fmt.Sprintf(`{"taskId":%q}`, id)))
	if !strings.Contains(list, stays.URL) || !strings.Contains(list, old.URL) || strings.Contains(list, goes.URL) || strings.Contains(list, replaced.URL) {
		t.Errorf("list: %s", list)
	}
	if rep := r.getPath("/tasks/" + id + "/pushNotificationConfigs/" + second.ID); rep.status != 404 {
		t.Errorf("a deleted one: %d %s", rep.status, rep.body)
	}
	gone := len(goes.all())
	r.rpc("CancelTask", fmt.Sprintf(`{"id":%q}`, id))
	await.True(r.t, "those that are left are told", func() bool { return stays.ended() && old.ended() })
	if n := len(goes.all()); n != gone {
		t.Errorf("a deleted receiver got %d more", n-gone)
	}
	if replaced.ended() {
		t.Error("a replaced receiver is told the end")
	}

	// The end of a task is told to those who come late, too (§4.3.3).
	late := newHook(t)
	r.rpc("CreateTaskPushNotificationConfig", config(late))
	await.True(r.t, "the end is told", late.ended)
	r.rpc("CreateTaskPushNotificationConfig", config(stays)) // 4, with the one above
	for i := range 12 {
		r.rpc("CreateTaskPushNotificationConfig", fmt.Sprintf(`{"taskId":%q,"id":"c%d","url":%q}`, id, i, late.URL))
	}
	if rep := r.do("POST", "/tasks/"+id+"/pushNotificationConfigs", "application/json", config(late)); rep.status != 400 || !strings.Contains(rep.body, "16") {
		t.Errorf("a seventeenth: %d %s", rep.status, rep.body)
	}
	if rep := r.do("POST", "/tasks/none/pushNotificationConfigs", "application/json", config(late)); rep.status != 404 {
		t.Errorf("no such task: %d %s", rep.status, rep.body)
	}
}

// TestPushToPrivateAddresses: without being told to, nothing is sent to this
// machine or its network; what can be known at once is refused at once.
func TestPushToPrivateAddresses(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	u, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := run(t, "--mode", "oneshot", "--", "cat")
	send := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{"url":%q}}}`
	for _, address := range []string{h.URL, "http://localhost:" + u.Port(), "http://169.254.169.254/latest/", "http://[::ffff:10.0.0.1]/", "file:///etc/passwd"} {
		rep := r.do("POST", "/message:send", "application/json", fmt.Sprintf(send, address))
		if rep.status != 400 || !strings.Contains(rep.body, "INVALID_PARAMS") {
			t.Errorf("%s: %d %s", address, rep.status, rep.body)
		}
	}
	if rep := r.getPath("/tasks"); !strings.Contains(rep.body, `"totalSize":0`) {
		t.Errorf("a task was made: %s", rep.body)
	}
	// 127.1 is a notation that only resolvers read.
	id := r.begin("x").ID
	if rep := r.do("POST", "/tasks/"+id+"/pushNotificationConfigs", "application/json", fmt.Sprintf(`{"url":"http://127.1:%s/"}`, u.Port())); rep.status != 200 {
		t.Fatalf("%d %s", rep.status, rep.body)
	}
	r.log.Says(t, `"msg":"push `)
	if n := len(h.all()); n != 0 {
		t.Errorf("%d notifications came through", n)
	}
}

// TestPushAgain: a receiver with a bad moment gets all in order, and the
// metrics say what happened.
func TestPushAgain(t *testing.T) {
	t.Parallel()
	h := newHook(t, 500, 503)
	r := run(t, "--mode", "oneshot", "--push-allow-private", "--", "cat")
	r.do("POST", "/message:send", "application/json",
		fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{"url":%q}}}`, h.URL))
	await.True(r.t, "the end is told", func() bool { return len(h.all()) > 2 && h.ended() })
	await.True(r.t, "it is counted", func() bool {
		return r.metric(`sidecar_push_deliveries_total{result="failed"}`) == 2 && r.metric(`sidecar_push_deliveries_total{result="delivered"}`) > 0 &&
			r.metric("sidecar_push_receivers") == 0
	})
	all := h.all()
	if gap := all[1].at.Sub(all[0].at); gap < 500*time.Millisecond {
		t.Errorf("tried again after %v", gap)
	}
}

// TestPushAtTheEnd: a sidecar that is told to end tells how its tasks ended.
func TestPushAtTheEnd(t *testing.T) {
	t.Parallel()
	last := ""
	for range 5 { // a machine that stands still for that second gets none, as is said
		if last = lastPush(t); strings.Contains(last, "shutting down") {
			return
		}
	}
	t.Errorf("the last notification: %s", last)
}

// lastPush ends a sidecar with a task that runs and returns the body of the last
// notification of it.
func lastPush(t *testing.T) string {
	h := newHook(t)
	r := run(t, "--mode", "oneshot", "--push-allow-private", "--drain-timeout", "0s", "--", "sh", "-c", "read l; echo begun; sleep 61")
	r.do("POST", "/message:send", "application/json",
		fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":%q}}}`, h.URL))
	await.True(r.t, "it begins", func() bool {
		all := h.all()
		return len(all) > 0 && strings.Contains(all[len(all)-1].body, "begun")
	})
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	r.wait()
	all := h.all()
	return all[len(all)-1].body
}

// TestPushOverARestart: what a receiver did not get before the sidecar was
// killed it gets from the next one.
func TestPushOverARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := newHook(t, 500, 500, 500, 500, 500, 500, 500, 500)
	args := []string{"--mode", "oneshot", "--push-allow-private", "--state-dir", dir, "--", "sh", "-c", "read l; echo begun; sleep 61"}
	r := run(t, args...)
	r.do("POST", "/message:send", "application/json",
		fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"returnImmediately":true,"taskPushNotificationConfig":{"url":%q,"token":"the-token"}}}`, h.URL))
	await.True(r.t, "it is tried", func() bool { return len(h.all()) > 0 })
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	r.wait()
	h.mu.Lock()
	h.status = nil
	h.mu.Unlock()
	before := len(h.all())
	r = run(t, args...)
	await.True(r.t, "the end is told", h.ended)
	after := h.all()[before:]
	if last := after[len(after)-1]; !strings.Contains(last.body, "interrupted by restart") || last.header.Get("A2A-Notification-Token") != "the-token" {
		t.Errorf("%v %s", last.header, last.body)
	}
}

// TestPushOff: nothing is taken, and the card does not claim it (§3.3.4).
func TestPushOff(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--push", "off", "--", "cat")
	id := r.send("x").ID
	for _, request := range []struct{ method, path, body string }{
		{"POST", "/tasks/" + id + "/pushNotificationConfigs", `{"url":"https://example.com"}`},
		{"GET", "/tasks/" + id + "/pushNotificationConfigs", ""},
		{"GET", "/v1/tasks/" + id + "/pushNotificationConfigs/x", ""},
		{"DELETE", "/tasks/" + id + "/pushNotificationConfigs/x", ""},
		{"POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://example.com"}}}`},
	} {
		if rep := r.do(request.method, request.path, "application/json", request.body); rep.status != 400 || !strings.Contains(rep.body, "PUSH_NOTIFICATION_NOT_SUPPORTED") {
			t.Errorf("%s %s: %d %s", request.method, request.path, rep.status, rep.body)
		}
	}
	if rep := r.getPath("/.well-known/agent-card.json"); !strings.Contains(rep.body, `"pushNotifications":false`) {
		t.Errorf("%s", rep.body)
	}
}
