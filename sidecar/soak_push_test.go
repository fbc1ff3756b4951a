package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// receiver takes notifications and lets every fifth attempt fail.
type receiver struct {
	*httptest.Server
	attempts atomic.Int64

	mu    sync.Mutex
	waits map[string]chan struct{} // by token; closed when the task has ended
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{waits: map[string]chan struct{}{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if r.attempts.Add(1)%5 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil || !strings.Contains(string(body), "TASK_STATE_COMPLETED") {
		return
	}
	token := req.Header.Get("A2A-Notification-Token")
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.waits[token]; c != nil {
		close(c)
		delete(r.waits, token)
	}
}

// expect returns what is closed when a task's end comes with the token.
func (r *receiver) expect(token string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := make(chan struct{})
	r.waits[token] = c
	return c
}

// notify sends a message and wants to be told of its end by a notification.
func (s *soaked) notify(r *receiver) func(context.Context) error {
	return func(ctx context.Context) error {
		token := a2a.NewID()
		came := r.expect(token)
		body := fmt.Sprintf(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]},
			"configuration":{"taskPushNotificationConfig":{"url":%q,"token":%q}}}`, r.URL, token)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/message:send", strings.NewReader(body))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := s.http.Do(req)
		if err != nil {
			return fmt.Errorf("notify: %w", err)
		}
		defer res.Body.Close()
		if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("notify: %d %.200s %v", res.StatusCode, text, err)
		}
		select {
		case <-came:
			return nil
		case <-ctx.Done():
			return nil
		case <-time.After(deadline):
			return errors.New("notify: the notification of the end never came")
		}
	}
}
