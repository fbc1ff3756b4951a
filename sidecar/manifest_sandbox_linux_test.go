package sidecar_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// readingTool is a tool that waits for the pipe named gate in its directory, if there is one,
// and then reads a file of each directory. It may read its own.
func readingTool(name, dir string) string {
	script := `[ -p ` + dir + `/gate ] && cat ` + dir + `/gate; for d in a b; do cat $d/in 2>/dev/null || printf no; printf ' '; done`
	command, err := json.Marshal([]string{"sh", "-c", script})
	must(err)
	return `{"name":"` + name + `","description":"reads","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":` +
		string(command) + `,"output":"text"}},"requires":{"fs":{"read":["{workspace}/` + dir + `"]}}}}`
}

// A tool that is added to the manifest may use what it requires at its next call, and the
// other tools nothing more. After it has been taken out nobody may, except its running call,
// which ends well.
func TestManifestIsTheSandbox(t *testing.T) {
	t.Parallel()
	confined(t)
	ws := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		sure(t, os.Mkdir(filepath.Join(ws, dir), 0o755))
		writeFile(t, filepath.Join(ws, dir, "in"), strings.ToUpper(dir))
	}
	gate := filepath.Join(ws, "b", "gate")
	first, second := readingTool("test.first", "a"), readingTool("test.second", "b")
	file := filepath.Join(t.TempDir(), "tools.json")
	manifest := func(tools ...string) { writeFile(t, file, "["+strings.Join(tools, ",")+"]") }
	manifest(first)
	r := run(t, "--mode", "oneshot", "--workspace", ws, "--manifest", file, "--", "cat")
	together := func() []string {
		var d struct {
			Requires struct{ FS struct{ Read []string } }
		}
		sure(t, json.Unmarshal([]byte(r.getPath("/a2a/policy/capabilities").body), &d))
		return d.Requires.FS.Read
	}
	shows := func(what string, want ...string) {
		t.Helper()
		await.True(t, what, func() bool { return slices.Equal(together(), want) })
		cmd := sidecarCommand("policy", "capabilities")
		cmd.Env = append(cmd.Env, "SIDECAR_URL="+r.url)
		out, err := cmd.CombinedOutput()
		if reads := "reads   " + strings.Join(want, ", ") + "\n"; err != nil || !strings.Contains(string(out), reads) {
			t.Errorf("%s: sidecar policy capabilities says %s, %v", what, out, err)
		}
	}
	says := func(what, tool string, status int, want string) {
		t.Helper()
		if got := r.do(http.MethodPost, "/a2a/tools/"+tool, "application/json", "{}"); got.status != status || !strings.Contains(got.body, want) {
			t.Errorf("%s: %d %s, want %d %s", what, got.status, got.body, status, want)
		}
	}
	shows("one tool", "{workspace}/a")
	says("one tool", "test.first", 200, `"A no "`)
	says("a tool that is not there yet", "test.second", 404, "test.second")

	manifest(first, second)
	shows("two tools", "{workspace}/a", "{workspace}/b")
	says("the tool that was added", "test.second", 200, `"no B "`)
	says("the tool that was there", "test.first", 200, `"A no "`)

	sure(t, unix.Mkfifo(gate, 0o644))
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: toolMessage("test.second", "{}"), ReturnImmediately: true})
	if err != nil {
		t.Fatal(err)
	}
	open, err := os.OpenFile(gate, os.O_WRONLY, 0) // waits for the program
	if err != nil {
		t.Fatal(err)
	}
	manifest(first)
	shows("without the second", "{workspace}/a")
	says("a tool that was taken out", "test.second", 404, "test.second")
	says("a tool that stays", "test.first", 200, `"A no "`)
	if state := r.get(result.Task.ID).Status.State; state != a2a.StateWorking {
		t.Errorf("the call that runs is %s", state)
	}
	sure(t, open.Close())
	if ended := r.settle(result.Task.ID); ended.Status.State != a2a.StateCompleted || !strings.Contains(artifact(ended, "result"), `"no B "`) {
		t.Errorf("the call that ran ended as %s: %s", ended.Status.State, artifact(ended, "result"))
	}

	sure(t, os.Remove(gate))
	manifest(first, strings.Replace(second, "{workspace}/b", "{workspace}/a", 1))
	shows("the second, narrower", "{workspace}/a")
	await.True(t, "the second", func() bool { return strings.Contains(r.getPath("/a2a/tools").body, "test.second") })
	says("the second, narrower", "test.second", 200, `"A no "`)
	if said := fmt.Sprint(r.log); strings.Contains(said, `"level":"ERROR"`) {
		t.Error("something went wrong")
	}
}
