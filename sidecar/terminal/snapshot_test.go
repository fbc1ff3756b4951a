package terminal_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/terminal"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

func TestSnapshotAsText(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.do("hello")
	for _, path := range []string{"/terminal", "/terminal?format=text", "/terminal?session=1"} {
		status, kind, body := r.get(path)
		if status != http.StatusOK || kind != "text/plain; charset=utf-8" || !strings.HasPrefix(body, "> hello\ngot hello.\n>\n") || strings.Count(body, "\n") != 40 {
			t.Errorf("%s: %d %s %q", path, status, kind, body)
		}
	}
	res, err := http.Head(r.url + "/terminal")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.ContentLength < 40 || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("HEAD: %v", res)
	}
}

func TestSnapshotAsJSON(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(w *ways) { w.runner.Size.Cols, w.runner.Size.Rows = 50, 10 })
	r.do(`write "\x1b]2;a title\x07\x1b[?2004h\x1b[1;31mred\x1b[m and \x1b[38;2;1;2;255mblue\x1b[m é\n` + strings.Repeat("w", 60) + `\n"`)
	status, kind, body := r.get("/terminal", "Accept", "text/html;q=0.5, application/json")
	if status != http.StatusOK || kind != "application/json" || !strings.Contains(body, `"generation"`) {
		t.Fatalf("%d %s %s", status, kind, body)
	}
	doc := r.screen()
	if doc.Session != "1" || doc.ContextID == "" || doc.Cols != 50 || doc.Rows != 10 || len(doc.Lines) != 10 || doc.Title != "a title" ||
		doc.Modes["bracketedPaste"] != true || !doc.Cursor.Shown || doc.Cursor.Col != 2 || doc.Offset == 0 || doc.Generation == 0 {
		t.Errorf("%+v", doc)
	}
	at := -1
	for i, l := range doc.Lines {
		if l.Text == "red and blue é" {
			at = i
		}
	}
	if at < 0 || at+2 >= len(doc.Lines) {
		t.Fatalf("the row is missing: %s", body)
	}
	runs := doc.Lines[at].Runs
	if len(runs) != 4 || runs[0]["text"] != "red" || runs[0]["fg"] != "1" || runs[0]["bold"] != true || runs[2]["fg"] != "#0102ff" || len(runs[1]) != 1 {
		t.Errorf("runs: %v", runs)
	}
	if !doc.Lines[at+1].Wrapped || doc.Lines[at+2].Text != strings.Repeat("w", 10) || doc.Lines[at+2].Runs != nil {
		t.Errorf("a row that goes on: %v", doc.Lines[at+1:at+3])
	}
}

func TestSnapshotRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	for _, c := range []struct {
		path   string
		status int
		has    string
	}{
		{"/terminal?format=xml", 400, "not text or json"},
		{"/terminal?session=2", 404, "?session=1 (context "},
		{"/terminal/stream?context=other", 404, "?session=1"},
		{"/terminal/attach", 426, "sidecar attach"},
		{"/terminal/other", 404, "nothing at"},
	} {
		if status, _, body := r.get(c.path); status != c.status || !strings.Contains(body, c.has) {
			t.Errorf("%s: %d %s, want %d with %q", c.path, status, body, c.status, c.has)
		}
	}
}

// Where nobody may look, all three paths say so; where nothing runs, too.
func TestTerminalIsOff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set    func(*terminal.Options)
		status int
		has    string
	}{
		{func(o *terminal.Options) { o.Off = "not shown here" }, 403, "not shown here"},
		{func(o *terminal.Options) {
			o.Views = func(context.Context, string) ([]*turn.View, int, error) { return nil, 0, nil }
		}, 503, "no agent runs"},
	} {
		r := newRig(t, func(w *ways) { c.set(&w.handler) })
		for _, path := range []string{"/terminal", "/terminal/stream", "/terminal/attach?write=true"} {
			if status, _, body := r.get(path, upgrade...); status != c.status || !strings.Contains(body, c.has) {
				t.Errorf("%s: %d %s, want %d", path, status, body, c.status)
			}
		}
	}
}

// upgrade are the headers of a WebSocket.
var upgrade = []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
