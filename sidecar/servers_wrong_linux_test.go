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
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// wrongPeak is how far a result of 100 MiB may raise the sidecar's memory, in KiB: six times the
// longest message that is taken (16 MiB), and what the race detector keeps.
const wrongPeak = 256 << 10

// atOnce is how soon others are answered while a server does wrong, on a machine that has other
// work.
const atOnce = 5 * time.Second

// wronged is a sidecar of servers of which all but one do wrong, with an exec tool. Its callers
// are alice and bob.
type wronged struct {
	*bridged
	home string
}

// liarEntry is the entry of a liar in a file, with more members. Its processes have the tag in
// their arguments.
func liarEntry(tag, lie, more string) string {
	self, err := os.Executable()
	must(err)
	doc, err := json.Marshal(map[string]any{"command": self, "args": []string{liarArgument, lie, tag}})
	must(err)
	return fmt.Sprintf(`%q:%s`, lie, strings.TrimSuffix(string(doc), "}")+more+"}")
}

func startWronged(t *testing.T) *wronged {
	t.Helper()
	dir := t.TempDir()
	s := &wronged{bridged: &bridged{file: filepath.Join(dir, "mcp.json")}, home: filepath.Join(dir, "home")}
	sure(t, os.MkdirAll(filepath.Join(s.home, ".ssh"), 0o700))
	writeFile(t, filepath.Join(s.home, ".ssh", "id_test"), "PRIVATE-OF-HOME")
	all := []string{liarEntry(s.file, "mute", `,"timeout":"2s"`), strings.Replace(liarEntry(s.file, "good", ""), `"good":`, `"acme":`, 1)}
	// Its tools only read, and so they run while another one does: writes of one server run alone.
	all = append(all, liarEntry(s.file, "shifty", `,"trustAnnotations":true`))
	for _, lie := range []string{"good", "schema", "shadow", "endless", "dead", "huge"} {
		all = append(all, liarEntry(s.file, lie, ""))
	}
	serversFile(t, s.file, all...)
	tools, policy := filepath.Join(dir, "tools.json"), filepath.Join(dir, "policy.json")
	writeFile(t, tools, `[{"name":"own.echo","description":"says it","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":["/bin/cat"]}}}}]`)
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"},{"permission":"acme.say","action":"ask"}]}`)
	s.running = runWith(t, []string{"HOME=" + s.home}, append([]string{"--max-concurrency", "8", "--workspace", t.TempDir(), "--manifest", tools, "--policy", policy,
		"--mcp-config", s.file, "--token-file", writeTokens(t)}, staying(t)...)...)
	return s
}

// call returns the status and the body of a call of alice's.
func (s *wronged) call(tool, text string) (int, string) {
	s.t.Helper()
	doc, err := json.Marshal(map[string]string{"text": text})
	must(err)
	return s.try(aliceToken, attempt{http.MethodPost, "/a2a/tools/" + tool, string(doc)})
}

// gets checks what a call is answered with.
func (s *wronged) gets(tool, text string, status int, words ...string) {
	s.t.Helper()
	got, body := s.call(tool, text)
	for _, w := range words {
		if got != status || !strings.Contains(body, w) {
			s.t.Errorf("%s: %d %.600s, want %d and %q", tool, got, body, status, w)
		}
	}
}

// has waits until a server's tool can be called.
func (s *wronged) has(tool string) {
	s.t.Helper()
	await.True(s.t, "the tool "+tool, func() bool { return strings.Contains(s.effective(), `"`+tool+`"`) })
}

// effective returns what alice is shown, with what is absent.
func (s *wronged) effective() string {
	s.t.Helper()
	_, body := s.try(aliceToken, attempt{"GET", "/a2a/tools/effective?absent=true", ""})
	return body
}

// othersAnswer checks that nothing else is affected.
func (s *wronged) othersAnswer(when string) {
	s.t.Helper()
	for _, tool := range []string{"good.say", "own.echo"} {
		began := time.Now()
		if status, body := s.call(tool, "still here"); status != 200 || !strings.Contains(body, "still here") || time.Since(began) > atOnce {
			s.t.Errorf("%s: %s after %s: %d %.300s", when, tool, time.Since(began), status, body)
		}
	}
}

// start begins a call and returns where its answer will be.
func (s *wronged) start(tool string) <-chan string {
	done := make(chan string, 1)
	go func() { // ends with the call
		status, body := s.call(tool, "x")
		done <- fmt.Sprint(status, " ", body)
	}()
	return done
}

// Servers that are wrong, dead, slow or lie give clear results, and nothing else is affected: a
// good server and an exec tool answer meanwhile and afterwards, memory is bounded, and nothing is
// left (see run).
func TestServersThatAreWrong(t *testing.T) {
	t.Parallel()
	confined(t)
	s := startWronged(t)
	for _, tool := range []string{"good.say", "acme.say", "shifty.slow", "schema.say", "shadow.slow", "endless.t1_1", "mute.mute", "huge.huge"} {
		s.has(tool)
	}
	for _, row := range []struct {
		what string
		do   func(t *testing.T)
	}{
		{"a bad schema loses its tool, and no other", func(*testing.T) {
			s.gets("schema.say", "hi", 200, "said: hi")
			s.gets("schema.bad", "", 404, "schema.bad")
			s.says("schema", `tool "bad"`, `must be "object"`, `tool "list"`, `no "inputSchema"`, "no object")
		}},
		{"a list without end is cut", func(t *testing.T) {
			s.gets("endless.t1_1", "hi", 200, "said: hi")
			s.says("endless", "10000 tools")
		}},
		{"a name that shadows one of another", func(t *testing.T) {
			s.gets("shadow.core_echo", "x", 200, "said: x") // in its own namespace
			s.gets("shadow.say", "x", 404, "shadow.say")
			s.says("shadow", `it would be shadow.say`)
			_, body := s.try(aliceToken, attempt{"GET", "/a2a/tools/effective", ""})
			var rows []struct{ Name string }
			sure(t, json.Unmarshal([]byte(body), &rows))
			for _, row := range rows {
				if strings.HasPrefix(row.Name, "core.e") || strings.HasPrefix(row.Name, "sv.") {
					t.Errorf("%s is among the tools", row.Name)
				}
			}
		}},
		{"a dead server", func(*testing.T) {
			s.says("dead", "exit status 4", "license")
			s.gets("dead.say", "", 503, `tool \"dead.say\" is unavailable`, "the MCP server cannot list its tools", "exit status 4: no license")
		}},
		{"a server that does not answer", func(*testing.T) {
			done := s.start("mute.mute")
			s.othersAnswer("meanwhile")
			if got := <-done; !strings.HasPrefix(got, "504 ") || !strings.Contains(got, "the time limit of 2s") {
				s.t.Errorf("%.300s", got)
			}
			s.gets("mute.say", "hi", 200, "said: hi")
		}},
		{"a result of 100 MiB", func(t *testing.T) {
			before := memoryOf(t, s.cmd.Process.Pid, "VmHWM")
			done := s.start("huge.huge")
			s.othersAnswer("meanwhile")
			if got := <-done; !strings.HasPrefix(got, "502 ") || !strings.Contains(got, "huge sent more than 16") {
				t.Errorf("%.600s", got)
			}
			grown := memoryOf(t, s.cmd.Process.Pid, "VmHWM") - before
			t.Logf("the peak of the sidecar's memory has grown by %d KiB", grown)
			if grown > wrongPeak {
				t.Errorf("the peak has grown by %d KiB, want at most %d", grown, wrongPeak)
			}
			s.gets("huge.say", "hi", 200, "said: hi")
		}},
		{"~/.ssh", func(t *testing.T) {
			status, body := s.call("good.home", s.home)
			if status != 200 || strings.Contains(body, "PRIVATE-OF-HOME") || strings.Count(body, "permission denied") != 2 {
				t.Errorf("%d %s", status, body)
			}
		}},
		{"a tool that is redefined and renamed in the middle of a call", func(t *testing.T) {
			done := s.start("shifty.slow")
			await.True(t, "the call runs", func() bool { return s.serverOf("shifty").Calls == 1 })
			s.gets("shifty.redefine", "", 200, "done")
			await.True(t, "the new definition", func() bool { return strings.Contains(s.effective(), "says it, version 1") })
			s.gets("shifty.say", "hi", 200, "said: hi")
			s.gets("shifty.rename", "", 200, "done")
			await.True(t, "the new name", func() bool { return strings.Contains(s.effective(), `"shifty.tell"`) })
			s.gets("shifty.say", "hi", 404, "shifty.say")
			s.gets("shifty.tell", "hi", 200, "said: hi")
			s.othersAnswer("meanwhile")
			s.gets("shifty.release", "", 200, "released")
			if got := <-done; !strings.HasPrefix(got, "200 ") || !strings.Contains(got, "slow has ended") {
				t.Errorf("the call that ran: %s", got)
			}
		}},
		{"a tool that is redefined after an always is asked for again", func(t *testing.T) {
			one := talk{s.running, aliceToken, "one"}
			one.asks("the first time", "hello", "always")
			one.runs("the same call again", "hello")
			s.gets("acme.redefine", "", 200, "done")
			await.True(t, "the new definition", func() bool { return strings.Contains(s.effective(), "says it, version 1") })
			one.asks("the definition that was changed", "hello", "reject")
		}},
		{"a second caller with a session's id", func(t *testing.T) {
			res, _ := s.raw(aliceToken, "", "", mcpInitialize)
			id := res.Header.Get("Mcp-Session-Id")
			const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"good.say","arguments":{"text":"hi"}}}`
			if res, body := s.raw(bobToken, id, "2025-06-18", call); id == "" || res.StatusCode != 404 || strings.Contains(body, "said") {
				t.Errorf("bob: %s %s", res.Status, body)
			}
			if res, body := s.raw(aliceToken, id, "2025-06-18", call); res.StatusCode != 200 || !strings.Contains(body, "said: hi") {
				t.Errorf("alice: %s %s", res.Status, body)
			}
		}},
	} {
		t.Run(row.what, func(t *testing.T) {
			s.t = t
			row.do(t)
			s.othersAnswer("afterwards")
		})
		s.t = t
	}
	_, metrics := s.try(aliceToken, attempt{"GET", "/metrics", ""})
	_, rest, _ := strings.Cut(metrics, "\ngo_goroutines ")
	var n int
	if _, err := fmt.Sscan(rest, &n); err != nil || n > mostGoroutines {
		t.Errorf("%d goroutines run, want at most %d, %v", n, mostGoroutines, err)
	}
	if len(processesOf(t, s.file)) == 0 {
		t.Error("no server is found among the processes")
	}
	s.stop()
	if left := processesOf(t, s.file); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// mostGoroutines is how many goroutines a sidecar with these servers may have: about ten for each,
// and those of the connections of the test.
const mostGoroutines = 200

// processesOf returns the command lines of the processes that have a tag in them.
func processesOf(t testing.TB, tag string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	sure(t, err)
	for _, file := range files {
		argv, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(argv), "\x00"+tag+"\x00") {
			found = append(found, strings.ReplaceAll(string(argv), "\x00", " "))
		}
	}
	return found
}

// says checks that the status of a server has all these words.
func (s *wronged) says(slug string, words ...string) {
	s.t.Helper()
	one := s.serverOf(slug)
	said := one.Error + "\n" + strings.Join(one.Problems, "\n")
	for _, w := range words {
		if !strings.Contains(said, w) {
			s.t.Errorf("the status of %s does not say %q: %s", slug, w, said)
		}
	}
}

// liarStatus is what GET /status says of a server.
type liarStatus struct {
	Server, Error string
	Calls         int
	Problems      []string
}

func (s *wronged) serverOf(slug string) liarStatus {
	s.t.Helper()
	var doc struct{ Servers []liarStatus }
	_, body := s.try(aliceToken, attempt{"GET", "/status", ""})
	sure(s.t, json.Unmarshal([]byte(body), &doc))
	at := slices.IndexFunc(doc.Servers, func(one liarStatus) bool { return one.Server == slug })
	if at < 0 {
		s.t.Fatalf("the status has no %s: %s", slug, body)
	}
	return doc.Servers[at]
}
