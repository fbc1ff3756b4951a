package sidecar_test

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// longTools say more than their envelopes take: 100,000 bytes, and without an end.
const longTools = `[
  {"name":"test.long","description":"Counts.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["sh","-c","i=0; while [ $i -lt 10000 ]; do i=$((i+1)); printf '%09d\\n' $i; done"]}},"maxOutput":"1KB"}},
  {"name":"test.endless","description":"Never ends.","inputSchema":{"type":"object"},
   "x-sidecar":{"bridge":{"exec":{"command":["yes"]}},"maxOutput":"1KB"}}
]`

// long is a call whose output is in a side file.
type long struct {
	task, path, url string
}

func (r *running) callLong(token, tool string) long {
	r.t.Helper()
	reply, err := r.as(token).CallTool(r.context(), &a2a.ToolRequest{Name: tool})
	if err != nil {
		r.t.Fatal(err)
	}
	var env struct {
		Metadata struct {
			Truncated bool   `json:"truncated"`
			Path      string `json:"output_path"`
			URL       string `json:"output_url"`
		}
	}
	if err := json.Unmarshal(reply.Envelope, &env); err != nil {
		r.t.Fatal(err)
	}
	m := env.Metadata
	if !m.Truncated || m.Path == "" || m.URL != "/a2a/outputs/"+reply.TaskID {
		r.t.Fatalf("envelope %s", reply.Envelope)
	}
	return long{reply.TaskID, m.Path, m.URL}
}

// fetch asks for an output with these headers, in pairs.
func (r *running) fetch(method, token, path string, headers ...string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.context(), method, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(body)
}

func counted() string {
	var b strings.Builder
	for i := range 10_000 {
		n := i + 1
		digits := [9]byte{}
		for at := 8; at >= 0; at-- {
			digits[at] = byte('0' + n%10)
			n /= 10
		}
		b.Write(digits[:])
		b.WriteByte('\n')
	}
	return b.String()
}

func TestOutputsAreServed(t *testing.T) {
	temp := t.TempDir()
	r := runWith(t, []string{"TMPDIR=" + temp}, "--mode", "oneshot", "--manifest", writeManifest(t, longTools), "--token-file", writeTokens(t),
		"--output-bytes", "1MiB", "--keep-bytes", "128KiB", "--workspace", t.TempDir(), "--", "cat")
	whole := counted()
	out := r.callLong(aliceToken, "test.long")
	if dir := filepath.Dir(filepath.Dir(out.path)); dir != temp {
		t.Errorf("the side file is %s, not below %s", out.path, temp)
	}

	resp, body := r.fetch("GET", aliceToken, out.url)
	h := resp.Header
	if resp.StatusCode != 200 || body != whole || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" ||
		!strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("ETag") == "" || !strings.HasPrefix(h.Get("Cache-Control"), "private") {
		t.Errorf("all of it: %d, %d bytes, %v", resp.StatusCode, len(body), h)
	}
	tag := h.Get("ETag")
	for _, tc := range []struct {
		name, method string
		headers      []string
		status       int
		body, length string
	}{
		{"the first bytes", "GET", []string{"Range", "bytes=0-9"}, 206, whole[:10], "10"},
		{"from there on", "GET", []string{"Range", "bytes=99990-"}, 206, whole[99_990:], "10"},
		{"the last bytes", "GET", []string{"Range", "bytes=-5"}, 206, whole[99_995:], "5"},
		{"beyond the end", "GET", []string{"Range", "bytes=100000-"}, 416, "", ""},
		{"the same file", "GET", []string{"Range", "bytes=0-9", "If-Range", tag}, 206, whole[:10], "10"},
		{"another file", "GET", []string{"Range", "bytes=0-9", "If-Range", `"other"`}, 200, whole, "100000"},
		{"known already", "GET", []string{"If-None-Match", tag}, 304, "", ""},
		{"its length", "HEAD", nil, 200, "", "100000"},
		{"no other method", "POST", nil, 405, "", ""},
	} {
		resp, body := r.fetch(tc.method, aliceToken, out.url, tc.headers...)
		if resp.StatusCode != tc.status || tc.body != "" && body != tc.body || tc.length != "" && resp.Header.Get("Content-Length") != tc.length {
			t.Errorf("%s: %d, %d bytes, %v", tc.name, resp.StatusCode, len(body), resp.Header)
		}
	}

	for _, tc := range []struct {
		name, token, path string
		status            int
	}{
		{"another caller", bobToken, out.url, 404},
		{"nobody", "", out.url, 401},
		{"no such output", aliceToken, "/a2a/outputs/none", 404},
		{"the folder", aliceToken, "/a2a/outputs/", 404},
		{"out of the folder", aliceToken, "/a2a/outputs/..%2f..%2fetc%2fpasswd", 404},
		{"its lock", aliceToken, "/a2a/outputs/lock", 404},
	} {
		if resp, body := r.fetch("GET", tc.token, tc.path); resp.StatusCode != tc.status || strings.Contains(body, "000000001") {
			t.Errorf("%s: %d %s", tc.name, resp.StatusCode, body)
		}
	}

	rest, err := r.as(aliceToken).Output(r.context(), out.task, "10-19")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(rest); err != nil || string(got) != whole[10:20] {
		t.Errorf("by our client: %q, %v", got, err)
	}
	rest.Close()
	if _, err := r.as(bobToken).Output(r.context(), out.task, ""); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("our client as another caller: %v", err)
	}

	// An output without an end is stopped; it pushes nothing out yet, the next one does.
	if endless := r.callLong(aliceToken, "test.endless"); length(endless.path) != 1<<20 {
		t.Errorf("an endless output has %d bytes", length(endless.path))
	}
	r.callLong(aliceToken, "test.long")
	await.True(t, "the output of the evicted task is gone", func() bool { return absent(out.path) })
	if resp, _ := r.fetch("GET", aliceToken, out.url); resp.StatusCode != 404 {
		t.Errorf("the output of an evicted task: %d", resp.StatusCode)
	}
	r.stop()
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("the sidecar left %v, %v", left, err)
	}
}

// TestOutputsOfAKilledSidecar leaves a side file behind, which the next sidecar removes.
func TestOutputsOfAKilledSidecar(t *testing.T) {
	temp, manifest := t.TempDir(), writeManifest(t, longTools)
	args := []string{"--mode", "oneshot", "--manifest", manifest, "--workspace", t.TempDir(), "--", "cat"}
	r := runWith(t, []string{"TMPDIR=" + temp}, args...)
	out := r.callLong("", "test.long")
	if err := r.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	await.One(t, r.done, "the sidecar's end")
	if absent(out.path) {
		t.Fatal("there is nothing to remove")
	}
	dir := filepath.Dir(out.path)
	lock := filepath.Join(dir, "lock")
	if err := errors.Join(age(lock), age(dir)); err != nil { // a younger one may not be locked yet
		t.Fatal(err)
	}
	runWith(t, []string{"TMPDIR=" + temp}, args...)
	if !absent(dir) {
		t.Errorf("%s is there still", dir)
	}
}

// TestOutputsStayOutOfTheWorkspace puts the temporary directory into the workspace.
func TestOutputsStayOutOfTheWorkspace(t *testing.T) {
	workspace := t.TempDir()
	temp, link := filepath.Join(workspace, "tmp"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(temp, 0o700), os.Symlink(workspace, link)); err != nil {
		t.Fatal(err)
	}
	r := runWith(t, []string{"TMPDIR=" + filepath.Join(link, "tmp")}, "--mode", "oneshot", "--manifest", writeManifest(t, longTools), "--workspace", workspace, "--", "cat")
	if out := r.callLong("", "test.long"); strings.HasPrefix(out.path, workspace) || strings.HasPrefix(out.path, link) {
		t.Errorf("the side file is where tools may write: %s", out.path)
	}
}

// length is how many bytes a file has, -1 if it is not there.
func length(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// age makes a file an hour old.
func age(path string) error {
	old := time.Now().Add(-time.Hour)
	return os.Chtimes(path, old, old)
}

func absent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
