package tool_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func TestWrite(t *testing.T) {
	g := newGround(t)
	g.put("old", "before\n")
	g.put("same", "same\n")
	g.put("crlf", "a\r\nb\r\n")
	g.put("mixed", "a\r\nb\nc\n")
	g.put("bom", "\ufeffa\n")
	g.put("hard", "before\n")
	g.put("dir/x", "x")
	g.put("image", "\x89PNG\r\n\x1a\n")
	g.must(errors.Join(os.Chmod(g.at("old"), 0o754), os.Link(g.at("hard"), g.at("other")), os.Symlink("target", g.at("link")), os.Symlink("/etc", g.at("out"))))
	g.must(syscall.Mkfifo(g.at("pipe"), 0o600))
	for _, c := range []struct{ path, content, want, has string }{
		{"new", "a\nb", "Made new: 2 lines, 3 bytes.", "a\nb"},
		{"deep/er/new", "", "Made deep/er/new: 0 lines, 0 bytes.", ""},
		{"ünï/日本", "grüße\n", "Made ünï/日本: 1 line, 8 bytes.", "grüße\n"},
		{"old", "after\n", "Wrote old: 1 line, 6 bytes.", "after\n"},
		{"same", "same\n", "same has this content already.", "same\n"},
		{"crlf", "a\nc\n", "Wrote crlf: 2 lines, 6 bytes. It has kept its line endings or its byte order mark.", "a\r\nc\r\n"},
		{"crlf", "a\r\nd\n", "Wrote crlf: 2 lines, 5 bytes.", "a\r\nd\n"},
		{"mixed", "a\nc\n", "Wrote mixed: 2 lines, 4 bytes.", "a\nc\n"},
		{"bom", "b\n", "Wrote bom: 1 line, 5 bytes. It has kept its line endings or its byte order mark.", "\ufeffb\n"},
		{"bom", "\ufeffc\n", "Wrote bom: 1 line, 5 bytes.", "\ufeffc\n"},
		{"hard", "after\n", "Wrote hard: 1 line, 6 bytes. It had 2 hard links: the other names keep the old content.", "after\n"},
		{"image", "text", "Wrote image: 1 line, 4 bytes.", "text"},
		{"link", "through", "Made target: 1 line, 7 bytes.", "through"},
		{"dir", "x", "error: dir cannot be written: it is a directory: list what is in it with glob", ""},
		{"dir/x/y", "x", `error: dir/x/y cannot be written: "x" is no directory`, ""},
		{"pipe", "x", "error: pipe cannot be written: it is no regular file, but a pipe, a socket or a device", ""},
		{"out/x", "x", "error: /etc/x cannot be written: it is outside of what this call may use", ""},
		{"big", strings.Repeat("x", 16<<20+1), "error: content has 16777217 bytes, and 16MiB is the most", ""},
	} {
		if got := g.run("write", args("file_path", c.path, "content", c.content)); got != c.want {
			t.Errorf("%.50s:\n%.300q, want\n%.300q", c.path, got, c.want)
		} else if !strings.HasPrefix(got, "error: ") {
			g.has(c.path, c.has)
		}
	}
	g.has("other", "before\n")
	if info, err := os.Stat(g.at("old")); err != nil || info.Mode().Perm() != 0o754 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	if _, err := os.Stat(g.at("big")); err == nil {
		t.Error("what was refused was made")
	}
}

// What changed since the session read it is not overwritten.
func TestWriteSeesWhatHasChanged(t *testing.T) {
	g := newGround(t)
	write := func(path, content string) string { return g.run("write", args("file_path", path, "content", content)) }
	g.put("a", "one\n")
	const overtaken = "error: a cannot be written: it was changed since you read it: read it again, and then decide"
	for i, step := range []struct{ do, want string }{
		{"read", "     1\tone\n"},
		{"somebody", ""},
		{"write", overtaken},
		{"read", "     1\tsomebody\n"},
		{"write", "Wrote a: 1 line, 6 bytes."},
		{"write again", "Wrote a: 1 line, 6 bytes."},
		{"touch", ""},
		{"write", "Wrote a: 1 line, 6 bytes."},
		{"part", "     1\twrite\n[There is more: go on with offset 2.]"},
		{"touch", ""},
		{"write", overtaken}, // not all of it was seen
		{"remove", ""},
		{"write", "Made a: 1 line, 6 bytes."},
	} {
		got := ""
		switch step.do {
		case "read":
			got = g.run("read", args("file_path", "a"))
		case "part":
			g.put("a", "write\nmore\n")
			got = g.run("read", args("file_path", "a", "limit", 1))
		case "write":
			got = write("a", "write\n")
		case "write again":
			got = write("a", "again\n")
		case "somebody":
			g.put("a", "somebody\n")
		case "touch":
			info, err := os.Stat(g.at("a"))
			g.must(err)
			g.must(os.Chtimes(g.at("a"), info.ModTime(), info.ModTime().Add(1e9)))
		case "remove":
			g.must(os.Remove(g.at("a")))
		}
		if got != step.want {
			t.Errorf("step %d, %s: %q, want %q", i, step.do, got, step.want)
		}
	}
	g.put("never read", "x")
	if got := write("never read", "y"); got != "Wrote never read: 1 line, 1 byte." {
		t.Error(got)
	}
}

// What may be written and not be read is replaced without a look at it.
func TestWriteOfWhatMayNotBeRead(t *testing.T) {
	g := newGround(t)
	g.put("a", "se\r\ncret\r\n")
	g.may = func(c policy.Capability, _ string) bool { return c != policy.FSRead }
	var out sink
	result, err := g.call(t.Context(), "write", args("file_path", "a", "content", "b\n"), &out)
	if err != nil || result != nil || out.String() != "Wrote a: 1 line, 2 bytes." {
		t.Errorf("%v %v %q", result, err, out.String())
	}
	g.has("a", "b\n")
}

func TestWriteTellsWhatChanged(t *testing.T) {
	g := newGround(t)
	path := g.put("a", "old\r\n")
	for _, c := range []struct{ content, old, new string }{{"new\n", "old\r\n", "new\r\n"}, {"last\r\n", "new\r\n", "last\r\n"}} {
		result, err := g.call(t.Context(), "write", args("file_path", "a", "content", c.content), &sink{})
		if err != nil || len(result.Changes) != 1 || result.Changes[0].Path != path || *result.Changes[0].Old != c.old || *result.Changes[0].New != c.new {
			t.Errorf("%+v %v", result, err)
		}
	}
	if result, err := g.call(t.Context(), "write", args("file_path", "b", "content", ""), &sink{}); err != nil || result.Changes[0].Old != nil || *result.Changes[0].New != "" {
		t.Errorf("%+v %v", result, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.call(ctx, "write", args("file_path", "a", "content", "x"), &sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was stopped: %v", err)
	}
	g.has("a", "last\r\n")
}
