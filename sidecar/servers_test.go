package sidecar_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/mcptest"
)

// serverEntry is the entry of a server in a file, with more members.
func serverEntry(mode, more string) string {
	argv := mcptest.Command(mode)
	doc, err := json.Marshal(map[string]any{"command": argv[0], "args": argv[1:]})
	must(err)
	return strings.TrimSuffix(string(doc), "}") + more + "}"
}

// serversFile writes a file of servers, by replacing it.
func serversFile(t testing.TB, path string, entries ...string) {
	t.Helper()
	writeFile(t, path+".next", `{"mcpServers":{`+strings.Join(entries, ",")+`}}`)
	sure(t, os.Rename(path+".next", path))
}

// bridged is a sidecar with MCP servers.
type bridged struct {
	*running
	file string
}

func withServers(t testing.TB, args []string, entries ...string) *bridged {
	t.Helper()
	s := &bridged{file: filepath.Join(t.TempDir(), "mcp.json")}
	serversFile(t, s.file, entries...)
	s.running = run(t, append(append([]string{"--mode", "oneshot", "--workspace", t.TempDir(), "--mcp-config", s.file}, args...), "--", "cat")...)
	return s
}

// call returns the status and the body of a call, through POST.
func (s *bridged) call(tool, text string) (int, string) {
	s.t.Helper()
	doc, err := json.Marshal(mcptest.Text{Text: text})
	must(err)
	rep := s.do(http.MethodPost, "/a2a/tools/"+tool, "application/json", string(doc))
	return rep.status, rep.body
}

// has waits until a tool answers, and fails if it never does.
func (s *bridged) has(tool string) {
	s.t.Helper()
	await.True(s.t, "the tool "+tool, func() bool { status, _ := s.call(tool, "x"); return status == http.StatusOK })
}

// serverStatus returns what GET /status says of a server.
func (s *bridged) serverStatus(slug string) (found struct {
	Server, State, Name, Version, Error string
	Tools, Starts                       int
	Problems, Warnings                  []string
}) {
	s.t.Helper()
	var doc struct{ Servers []json.RawMessage }
	sure(s.t, json.Unmarshal([]byte(s.getPath("/status").body), &doc))
	for _, raw := range doc.Servers {
		sure(s.t, json.Unmarshal(raw, &found))
		if found.Server == slug {
			return found
		}
	}
	s.t.Fatalf("the status has no server %s", slug)
	return found
}

// A call to a server that cannot be started says why, and the start warns once of all servers that
// are not locked.
func TestServerThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	s := withServers(t, nil, `"gone":{"command":"no-such-program-here"}`, `"lost":{"command":"no-such-program-there"}`)
	await.True(t, "the reason", func() bool {
		status, body := s.call("gone.tool", "x")
		return status == 503 && strings.Contains(body, "the MCP server cannot list its tools: no-such-program-here: not found")
	})
	s.log.Says(t, `"servers":"gone, lost"`)
}

// The tools of a server are called like any other, each by its mapped name; status and metrics
// tell of it; the list of the image stays what it is.
func TestServersAreTools(t *testing.T) {
	t.Parallel()
	s := withServers(t, nil, `"My-Server":`+serverEntry(mcptest.ModeGood, `,"env":{"ACME":"1"}`))
	s.has("my_server.echo")
	if status, body := s.call("my_server.get_env", ""); status != 200 || !strings.Contains(body, "ACME=1") || strings.Contains(body, "SIDECAR_SOCKET") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.call("my_server.nothing", ""); status != 404 {
		t.Errorf("a tool that is not: %d %s", status, body)
	}
	if rep := s.do(http.MethodPost, "/a2a/tools/my_server.echo", "application/json", `{"txet":1}`); rep.status != 422 {
		t.Errorf("bad arguments: %d %s", rep.status, rep.body)
	}
	if rep := s.getPath("/a2a/tools"); strings.TrimSpace(rep.body) != "[]" {
		t.Errorf("the image's list: %s", rep.body)
	}
	if rep := s.getPath("/a2a/tools?query=get+env"); !strings.Contains(rep.body, `"my_server.get_env"`) {
		t.Errorf("a search finds %s", rep.body)
	}
	st := s.serverStatus("my_server")
	if st.State != "running" || st.Name != "Good Server" || st.Version != "1.2.3" || st.Tools != 10 || st.Starts != 1 || len(st.Warnings) != 1 {
		t.Errorf("%+v", st)
	}
	s.log.Says(t, `MCP servers are unverified`)
	for _, line := range []string{`sidecar_mcp_server_running{server="my_server"} 1`, `sidecar_mcp_server_tools{server="my_server"} 10`, `sidecar_mcp_server_starts_total{server="my_server"} 1`, `sidecar_file_ok{file="servers"} 1`} {
		if !strings.Contains(s.getPath("/metrics").body, line) {
			t.Errorf("the metrics have no %s", line)
		}
	}
	cmd := sidecarCommand("status")
	cmd.Env = append(cmd.Env, "SIDECAR_URL="+s.url)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "MCP server my_server: running") {
		t.Errorf("%s, %v", out, err)
	}
}

// A server that dies in the middle of a call takes that call with it, and is there for the next.
func TestServerDies(t *testing.T) {
	t.Parallel()
	s := withServers(t, nil, `"a":`+serverEntry(mcptest.ModeGood, ""), `"b":`+serverEntry(mcptest.ModeGood, ""), `"c":`+serverEntry(mcptest.ModeFails, ""))
	s.has("a.echo")
	s.has("b.echo")
	if status, body := s.call("a.die", ""); status != 502 || !strings.Contains(body, "exit status 7") || !strings.Contains(body, "I die") {
		t.Errorf("%d %s", status, body)
	}
	if status, body := s.call("b.echo", "alive"); status != 200 || !strings.Contains(body, "alive") {
		t.Errorf("another server: %d %s", status, body)
	}
	s.has("a.echo")
	if st := s.serverStatus("a"); st.Starts != 2 {
		t.Errorf("%+v", st)
	}
	await.True(t, "the status of a server that cannot be started", func() bool {
		return strings.Contains(s.serverStatus("c").Error, "the license has run out")
	})
}

// A server without requires is held by the sandbox.
func TestServerIsConfined(t *testing.T) {
	t.Parallel()
	confined(t)
	home, err := os.UserHomeDir()
	sure(t, err)
	ssh := filepath.Join(home, ".ssh")
	if _, err := os.Stat(ssh); err != nil {
		ssh = t.TempDir()
	}
	secret := filepath.Join(t.TempDir(), "id_test")
	writeFile(t, secret, "private")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	sure(t, err)
	defer l.Close()
	s := withServers(t, nil, `"a":`+serverEntry(mcptest.ModeGood, ``), `"limited":`+serverEntry(mcptest.ModeGood, `,"limits":{"memory":"1GiB"}`))
	s.has("a.echo")
	for tool, argument := range map[string]string{"a.read_file": secret, "a.write_file": filepath.Join(ssh, "planted"), "a.connect": l.Addr().String()} {
		status, body := s.call(tool, argument)
		if status != 502 || !strings.Contains(body, "denied") && !strings.Contains(body, "not permitted") {
			t.Errorf("%s: %d %s", tool, status, body)
		}
	}
	if status, body := s.call("a.read_file", s.file); status != 502 {
		t.Errorf("the file of the servers: %d %s", status, body)
	}
	s.has("limited.echo")
	if status, body := s.call("limited.memory", "2000"); status != 502 {
		t.Errorf("above its limit: %d %s", status, body)
	}
	s.has("limited.echo")
}

// An edit of the file is in force soon, and a bad one changes nothing.
func TestServersFileIsFollowed(t *testing.T) {
	t.Parallel()
	a, b := `"a":`+serverEntry(mcptest.ModeGood, ""), `"b":`+serverEntry(mcptest.ModeGood, "")
	s := withServers(t, nil, a)
	s.has("a.echo")
	serversFile(t, s.file, a, b)
	s.has("b.echo")
	serversFile(t, s.file, `"a":{"comand":"x"}`)
	s.log.Says(t, `write \"command\"`)
	if status, body := s.call("b.echo", "x"); status != 200 {
		t.Errorf("after a bad edit: %d %s", status, body)
	}
	if body := s.getPath("/status").body; !strings.Contains(body, `"kind":"servers"`) {
		t.Errorf("the status does not tell of it: %s", body)
	}
	before := s.serverStatus("a").Starts
	serversFile(t, s.file, a)
	began := time.Now()
	await.True(t, "the end of b", func() bool { status, _ := s.call("b.echo", "x"); return status == 404 })
	t.Logf("a removed server is gone after %s", time.Since(began))
	if after := s.serverStatus("a").Starts; after != before {
		t.Error("a server that was not changed was started again")
	}
}

// What is not locked is told of, or left out.
func TestLock(t *testing.T) {
	t.Parallel()
	s := withServers(t, []string{"--mcp-unlocked", "refuse"}, `"a":`+serverEntry(mcptest.ModeGood, ""))
	await.True(t, "the list", func() bool { return s.serverStatus("a").Starts > 0 })
	if status, body := s.call("a.echo", "x"); status != 404 {
		t.Errorf("without a lock: %d %s", status, body)
	}
	lock := func(want int, says string, args ...string) {
		t.Helper()
		cmd := sidecarCommand(append([]string{"mcp", "lock", "--mcp-config", s.file}, args...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want || !strings.Contains(string(out), says) {
			t.Errorf("mcp lock %v: %d %s, want %d %s", args, code, out, want, says)
		}
	}
	lock(1, "new a", "--check")
	lock(0, "1 server, 10 tools")
	s.has("a.echo")
	lock(0, "nothing differs", "--check")
	path := filepath.Join(filepath.Dir(s.file), "mcp.lock.json")
	doc, err := os.ReadFile(path)
	sure(t, err)
	var all map[string]any
	sure(t, json.Unmarshal(doc, &all))
	tools := all["servers"].(map[string]any)["a"].(map[string]any)["tools"].(map[string]any)
	tools["echo"] = "sha256:other"
	delete(tools, "pid")
	doc, err = json.Marshal(all)
	must(err)
	writeFile(t, path+".next", string(doc))
	sure(t, os.Rename(path+".next", path))
	await.True(t, "the tool that differs to go", func() bool { status, _ := s.call("a.echo", "x"); return status == 404 })
	if status, body := s.call("a.pid", ""); status != 404 {
		t.Errorf("a tool that is not locked: %d %s", status, body)
	}
	s.has("a.get_env")
	lock(1, `changed a: "echo"`, "--check")
	lock(1, `new a: "pid"`, "--check")
	if st := s.serverStatus("a"); len(st.Problems) != 2 {
		t.Errorf("%+v", st)
	}
}

// With a lock that differs, the default warns, and loudly of a definition that is another one.
func TestLockWarns(t *testing.T) {
	t.Parallel()
	s := &bridged{file: filepath.Join(t.TempDir(), "mcp.json")}
	serversFile(t, s.file, `"a":`+serverEntry(mcptest.ModeGood, ""))
	writeFile(t, filepath.Join(filepath.Dir(s.file), "mcp.lock.json"), `{"version":1,"servers":{"a":{"tools":{"echo":"sha256:other"}}}}`)
	s.running = run(t, "--mode", "oneshot", "--mcp-config", s.file, "--", "cat")
	s.has("a.echo")
	s.log.Says(t, `"level":"ERROR","msg":"the definition of an MCP server's tool is not the one that was locked`)
	if st := s.serverStatus("a"); len(st.Warnings) != 10 {
		t.Errorf("%+v", st)
	}
}

// A file that is bad at the start is a fault of the sidecar's, with its place.
func TestServersFileIsBad(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mcp.json")
	serversFile(t, file, `"core":{"command":"x"}`)
	r := startOnly(t, nil, "--mode", "oneshot", "--mcp-config", file, "--", "cat")
	if code := r.wait(); code != 125 || !strings.Contains(r.log.String(), `mcp.json:1:16: /mcpServers/core: the namespace`) {
		t.Errorf("%d %s", code, r.log)
	}
}

// doctor tells of the servers that are not locked, without a sidecar.
func TestDoctorTellsOfServers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mcp.json")
	serversFile(t, file, `"a":{"command":"x"}`, `"b":{"command":"x"}`, `"c":{"command":"x","disabled":true}`)
	writeFile(t, filepath.Join(filepath.Dir(file), "mcp.lock.json"), `{"version":1,"servers":{"a":{"tools":{}}}}`)
	cmd := sidecarCommand("doctor")
	cmd.Env = append(cmd.Env, "SIDECAR_MCP_CONFIG="+file)
	out, err := cmd.CombinedOutput()
	_, says, found := strings.Cut(string(out), "MCP servers\n")
	if err != nil || !found || !strings.Contains(says, "on   a ") || !strings.Contains(says, "OFF  b                    unverified") || strings.Contains(says, " c ") {
		t.Errorf("%s, %v", out, err)
	}
}

// What a server is given as a secret does not come back in what its tools say.
func TestServerSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	s := withServers(t, nil, `"keeper":`+serverEntry(mcptest.ModeGood, `,"env":{"ACME_TOKEN":"not-for-callers","ACME":"for-all"}`))
	s.has("keeper.echo")
	_, body := s.call("keeper.get_env", "")
	if strings.Contains(body, "not-for-callers") || !strings.Contains(body, "for-all") || !strings.Contains(body, `"redacted"`) {
		t.Errorf("the server says %s", body)
	}
}

// A tool of the manifest whose name a server takes is told of, in the log and in the status.
func TestServerTakesAName(t *testing.T) {
	t.Parallel()
	s := &bridged{file: filepath.Join(t.TempDir(), "mcp.json")}
	serversFile(t, s.file)
	manifest := writeManifest(t, "["+effectiveTool("a.echo", runsTrue)+"]")
	s.running = run(t, "--mode", "oneshot", "--mcp-config", s.file, "--manifest", manifest, "--", "cat")
	serversFile(t, s.file, `"a":`+serverEntry(mcptest.ModeGood, ""))
	s.log.Says(t, `"msg":"a tool is not served","tool":"a.echo","reason":"another tool of this name has precedence: that of connector:a over that of image"`)
	await.True(t, "the status", func() bool {
		return strings.Contains(s.getPath("/status").body, `"lostTools":[{"tool":"a.echo","reason":"another tool of this name`)
	})
}
