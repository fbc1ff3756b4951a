package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// serveChanges serves changes of the task t-1, and none of others.
func serveChanges(w http.ResponseWriter, r *http.Request, _ server.Identity) error {
	body := cannedChanges
	switch q := r.URL.Query(); {
	case q.Get("task") == "off":
		body = `{"kept":"nowhere","tasks":[]}`
	case q.Get("task") == "none" || q.Get("contextId") == "none":
		body = `{"kept":"disk","tasks":[]}`
	}
	_, err := io.WriteString(w, body)
	return err
}

// serveUndo answers by the name of the task.
func serveUndo(w http.ResponseWriter, r *http.Request, _ server.Identity) error {
	var u struct {
		Task, Call string
		Paths      []string
		DryRun     bool
	}
	if err := json.NewDecoder(r.Body).Decode(&u); err != nil {
		return err
	}
	answer := map[string]string{
		"t-1":     `{"taskId":"t-9","outcome":"final","files":[{"path":"/w/a","result":"restored"},{"path":"/w/b` + strings.Join(u.Paths, "") + `","result":"removed"}]}`,
		"some":    `{"taskId":"t-9","outcome":"final","files":[{"path":"/w/a","result":"restored"},{"path":"/w/b\u001b[2J","result":"refused","why":"changed since by task t-2: undo that one first"}]}`,
		"none":    `{"taskId":"t-9","outcome":"final","files":[{"path":"/w/a","result":"refused","why":"it is no regular file"},{"path":"/w/b","result":"unchanged"}]}`,
		"denied":  `{"taskId":"t-9","outcome":"denied","error":"you may not call \"core.undo\": no","files":[]}`,
		"waiting": `{"taskId":"t-9","outcome":"waiting","files":[]}`,
	}[u.Task+u.Call]
	if u.DryRun {
		answer = `{"taskId":"t-9","outcome":"final","dryRun":true,"files":[{"path":"/w/a","result":"restored"}]}`
	}
	if answer == "" {
		return a2a.ErrTaskNotFound.With("no change of a file is kept of it")
	}
	_, err := io.WriteString(w, answer)
	return err
}

const cannedChanges = `{"kept":"disk","more":2,"tasks":[{"taskId":"t-1","contextId":"c","commands":true,"changed":"2026-01-02T03:04:05Z","files":[` +
	`{"path":"/w/a","change":"changed","tools":["core.edit"],"calls":["1"],"changed":"2026-01-02T03:04:05Z","diff":"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n","added":1,"removed":1},` +
	`{"path":"/w/b\u001b[31m","change":"created","tools":["core.write"],"calls":["2"],"changed":"2026-01-02T03:04:05Z","added":0,"removed":0,"note":"it is no text"}]}]}`
