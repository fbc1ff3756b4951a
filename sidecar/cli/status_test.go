package cli_test

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// mounted is a sidecar's status that never changes, but for the task that runs.
func (a *agent) mounted() map[string]server.Mount {
	return map[string]server.Mount{"/status": {Methods: "GET", Serve: func(w http.ResponseWriter, _ *http.Request, _ server.Identity) error {
		body := cannedStatus
		for _, t := range a.tasks.Running() {
			body = strings.ReplaceAll(body, "task-1", t.ID())
		}
		_, err := io.WriteString(w, body)
		if a.looks.Add(1) == 2 {
			close(a.looked)
		}
		return err
	}}, "/a2a/outputs/": {Methods: "GET", Serve: serveOutput},
		"/a2a/changes":      {Methods: "GET", Serve: serveChanges},
		"/a2a/changes/undo": {Methods: "POST", Body: true, Serve: serveUndo},
	}
}

// serveOutput serves the output of the task t-3 alone.
func serveOutput(w http.ResponseWriter, r *http.Request, _ server.Identity) error {
	if r.URL.Path != "/a2a/outputs/t-3" {
		return a2a.ErrTaskNotFound.With("there is no such output, or it is gone with its task")
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader("all of it\n"))
	return nil
}

const cannedStatus = `{"version":"1.2.3","state":"serving","mode":"pty","modeReason":"nothing better\u001b[31m is known","agent":{"name":"Agent\u001b[31m","version":"1.2","protocol":"acp 1","resumes":true,"options":[{"key":"mode","value":"plan","values":["plan","act"],"valuesMore":3},{"key":"effort","value":"","values":["low","high"]},{"key":"model","value":"m","values":["1","2","3","4","5","6","7","8","9","10","11","12","13","14"]}],"optionsMore":2},"sessions":[` +
	`{"pid":4711,"started":"2026-01-02T03:04:05Z","turns":3,"contextId":"ctx-1","taskId":"task-1","agent":{"state":"asking","kind":"permission","since":"2026-01-02T03:04:05Z","source":"hook","rule":"hook says asking","confidence":0.9,"message":"rm -rf /\u001b[31m\nmore"}},` +
	`{"pid":4712,"started":"2026-01-02T03:04:05Z","turns":1,"other":true,"agent":{"state":"ready","since":"2026-01-02T03:04:05Z","source":"osc7501","rule":"state=error","confidence":1,"failed":true}},` +
	`{"pid":4713,"started":"2026-01-02T03:04:05Z","turns":0,"agent":{"state":"starting","source":"start","rule":"nothing was seen yet"}},` +
	`{"pid":4714,"started":"2026-01-02T03:04:05Z","turns":0,"agent":{"state":"ready"}}],` +
	`"queue":{"running":1,"waiting":2,"limit":100},"givenTools":{"given":false,"server":"sidecar","reason":"it is not known how\u001b[31m"},` +
	`"turns":[{"taskId":"task-1","contextId":"ctx-1","state":"running","since":"2026-01-02T03:04:05Z","pid":4711,"waitsFor":"an answer to its question"},` +
	`{"taskId":"task-2","contextId":"ctx-2","tool":"acme.echo","state":"waiting","since":"2026-01-02T03:04:05Z","waitsFor":"the turn before it in its context"}],` +
	`"lostTools":[{"tool":"acme.echo","reason":"another tool\u001b[31m has its name"}],"lostToolsMore":2,"faults":[{"kind":"manifest","file":"tools.json","text":"line 1, column 2: \u001b[31mbad"}],"errors":[{"time":"2026-01-02T03:04:05Z","taskId":"task-0","contextId":"ctx-1","text":"the agent ended: exit 1"}]}`
