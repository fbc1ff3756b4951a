package subagent_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// artifact is an update of an artifact's text.
func artifact(id, text string, more bool) string {
	words, _ := json.Marshal(text)
	update := `{"artifactUpdate":{"taskId":"t1","contextId":"c1","append":true,"artifact":{"artifactId":"` + id + `","parts":[{"text":` + string(words) + `}]}}}`
	if !more {
		update = strings.Replace(update, `"append":true,`, "", 1)
	}
	return update
}

// What a child says comes to its parent once and clean, however its agent sends it.
func TestTextOfAChild(t *testing.T) {
	t.Parallel()
	const replaced = "[the agent has replaced what it said before by this:]\n"
	for _, c := range []struct {
		name string
		sent []string
		want string
	}{
		{"the same one again", []string{artifact("a", "one", false), artifact("a", "one", false)}, "one"},
		{"a longer one", []string{artifact("a", "one", false), artifact("a", "one two", false), artifact("a", " three", true)}, "one two three"},
		{"another one", []string{artifact("a", "one", false), artifact("a", "two", false), artifact("a", "two", false)}, "one\n" + replaced + "two"},
		{"a shorter one", []string{artifact("a", "one two", false), artifact("a", "one", false), artifact("a", "!", true)}, "one two\n" + replaced + "one!"},
		{"two artifacts", []string{artifact("a", "one", false), artifact("b", "two", true), artifact("a", "one", false)}, "one\ntwo"},
		{"control characters", []string{artifact("a", "o\x1b[31mn\x07e\u0085\u202e\r\n", true)}, "one\n"},
		{"a sequence in two pieces", []string{artifact("a", "one\x1b]0;ti", true), artifact("a", "tle\x07 two", true)}, "one two"},
		{"the task as it is", []string{artifact("a", "one\x1b[3", true), artifact("a", "1m two", true),
			strings.Replace(aTask, `"status"`, `"artifacts":[{"artifactId":"a","parts":[{"text":"one\u001b[31m two, three"}]}],"status"`, 1)}, "one two, three"},
		{"the task as it was", []string{artifact("a", "one two", true),
			strings.Replace(aTask, `"status"`, `"artifacts":[{"artifactId":"a","parts":[{"text":"one"}]}],"status"`, 1), artifact("a", "!", true)}, "one two!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := lies(t, goodCard, func(w http.ResponseWriter, _ *http.Request) {
				says(w, append(append([]string{aTask}, c.sent...), done)...)
			})
			d := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute)
			child, err := d.start()
			if err != nil {
				t.Fatal(err)
			}
			d.end(child)
			if got := child.Text(0); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// The words with which a child fails are on one line, and few.
func TestFaultOfAChild(t *testing.T) {
	t.Parallel()
	long, _ := json.Marshal("first\nsecond " + strings.Repeat("x", 1000))
	l := lies(t, goodCard, func(w http.ResponseWriter, _ *http.Request) {
		says(w, aTask, `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_FAILED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":`+string(long)+`}]}}}}`)
	})
	d := newDesk(t, `{"url":"`+l.url+`"}`, time.Minute)
	child, err := d.start()
	if err != nil {
		t.Fatal(err)
	}
	if got := d.end(child).Fault; !strings.HasPrefix(got, "first second xxx") || len(got) > 800 {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
}
