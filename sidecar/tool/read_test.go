package tool_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	g := newGround(t)
	g.put("a.txt", "one\ntwo\n\nfour")
	g.put("crlf.txt", "one\r\ntwo\r\nthr\ree\r\n")
	g.put("bom.txt", "\ufeffone\ntwo\n")
	g.put("empty", "")
	g.put("newline", "\n")
	g.put("sub/ünï.txt", "grüße\n日本語\n")
	g.put("latin1", "caf\xe9\n")
	g.put("nul", "a\x00b")
	g.put("utf16", "\xff\xfea\x00b\x00")
	g.put("elf", "\x7fELF\x02\x01\x01\x00")
	g.put("archive.zip", "PK\x03\x04\x00\x00")
	g.must(errors.Join(os.Symlink("a.txt", g.at("link")), os.Symlink("/etc/hostname", g.at("out")), os.Symlink("none", g.at("dangling"))))
	g.must(syscall.Mkfifo(g.at("pipe"), 0o600))
	long := strings.Repeat("x", 100_000)
	g.put("long", "a\n"+long+"\r\nb")
	for _, c := range []struct{ args, want string }{
		{args("file_path", "a.txt"), "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"},
		{args("file_path", g.at("a.txt")), "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"},
		{args("file_path", "link"), "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"},
		{args("file_path", "a.txt", "raw", true), "one\ntwo\n\nfour"},
		{args("file_path", "a.txt", "offset", 2, "limit", 1), "     2\ttwo\n[There is more: go on with offset 3.]"},
		{args("file_path", "a.txt", "offset", 2, "limit", 1, "raw", true), "two\n"},
		{args("file_path", "a.txt", "offset", 4, "limit", int64(math.MaxInt64)), "     4\tfour"},
		{args("file_path", "a.txt", "offset", int64(math.MaxInt64), "limit", int64(math.MaxInt64)), "error: offset 9223372036854775807 is after the end of a.txt, which has 4 lines"},
		{args("file_path", "a.txt", "offset", 3), "     3\t\n     4\tfour"},
		{args("file_path", "a.txt", "offset", 4, "limit", 9), "     4\tfour"},
		{args("file_path", "a.txt", "limit", 4), "     1\tone\n     2\ttwo\n     3\t\n     4\tfour"},
		{args("file_path", "a.txt", "offset", 5), "error: offset 5 is after the end of a.txt, which has 4 lines"},
		{args("file_path", "crlf.txt"), "     1\tone\n     2\ttwo\n     3\tthr\ree\n"},
		{args("file_path", "crlf.txt", "offset", 4), "error: offset 4 is after the end of crlf.txt, which has 3 lines"},
		{args("file_path", "crlf.txt", "raw", true), "one\r\ntwo\r\nthr\ree\r\n"},
		{args("file_path", "bom.txt"), "     1\tone\n     2\ttwo\n"},
		{args("file_path", "bom.txt", "raw", true), "\ufeffone\ntwo\n"},
		{args("file_path", "empty"), "[The file is empty.]"},
		{args("file_path", "empty", "raw", true), ""},
		{args("file_path", "newline"), "     1\t\n"},
		{args("file_path", "sub/ünï.txt"), "     1\tgrüße\n     2\t日本語\n"},
		{args("file_path", "sub/ünï.txt", "byte_offset", 3, "byte_limit", 8), "ße\n日"},
		{args("file_path", "sub/ünï.txt", "byte_offset", 9), "本語\n"},
		{args("file_path", "a.txt", "byte_limit", 3), "one"},
		{args("file_path", "a.txt", "byte_offset", 13), ""},
		{args("file_path", "a.txt", "byte_offset", 14), "error: byte_offset 14 is after the end of a.txt, which has 13 bytes"},
		{args("file_path", "a.txt", "byte_offset", 0, "offset", 1), "error: give lines (offset, limit) or bytes (byte_offset, byte_limit), and not both"},
		{args("file_path", "long"), "     1\ta\n     2\t" + long + "\n     3\tb"},
		{args("file_path", "long", "byte_offset", 1, "byte_limit", 99_999), "\n" + long[:99_998]},
		{args("file_path", "latin1"), "error: latin1 is no text in UTF-8 but application/octet-stream: it cannot be shown"},
		{args("file_path", "nul"), "error: nul is no text in UTF-8 but application/octet-stream: it cannot be shown"},
		{args("file_path", "utf16"), "error: utf16 is no text in UTF-8 but text/plain; charset=utf-16le: it cannot be shown"},
		{args("file_path", "elf"), "error: elf is no text in UTF-8 but application/x-executable: it cannot be shown"},
		{args("file_path", "archive.zip"), "error: archive.zip is no text in UTF-8 but application/zip: it cannot be shown"},
		{args("file_path", "sub"), "error: sub cannot be read: it is a directory: list what is in it with glob"},
		{args("file_path", "."), "error: . cannot be read: it is a directory: list what is in it with glob"},
		{args("file_path", "none"), "error: none does not exist: find the file with glob"},
		{args("file_path", "dangling"), "error: none does not exist: find the file with glob"},
		{args("file_path", "a.txt/x"), `error: a.txt/x cannot be read: "a.txt" is no directory`},
		{args("file_path", "pipe"), "error: pipe cannot be read: it is no regular file, but a pipe, a socket or a device"},
		{args("file_path", "out"), "error: /etc/hostname cannot be read: it is outside of what this call may use"},
		{args("file_path", "../x"), "error: " + strings.TrimSuffix(g.dir, "/"+lastOf(g.dir)) + "/x cannot be read: it is outside of what this call may use"},
	} {
		if got := g.run("read", c.args); got != c.want {
			t.Errorf("%s:\n%.300q, want\n%.300q", c.args, got, c.want)
		}
	}
}

func lastOf(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

// Images and PDFs are returned as they are, up to the limit.
func TestReadReturnsImages(t *testing.T) {
	g := newGround(t)
	const limit = 5 << 20
	for name, c := range map[string]struct{ head, media string }{
		"a.png": {"\x89PNG\r\n\x1a\n", "image/png"}, "a.jpg": {"\xff\xd8\xff\xe0", "image/jpeg"}, "a.gif": {"GIF89a\x01", "image/gif"},
		"a.webp": {"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"}, "plain": {"%PDF-1.7\n", "application/pdf"},
	} {
		content := c.head + strings.Repeat("x", limit-len(c.head))
		g.put(name, content)
		var out sink
		result, err := g.call(t.Context(), "read", args("file_path", name), &out)
		if err != nil || result == nil || len(result.Files) != 1 {
			t.Fatalf("%s: %v %v", name, result, err)
		}
		f := result.Files[0]
		if f.Name != name || f.MediaType != c.media || sha256.Sum256(f.Content) != sha256.Sum256([]byte(content)) {
			t.Errorf("%s: %s %s, %d bytes", name, f.Name, f.MediaType, len(f.Content))
		}
		if want := name + " is " + c.media + " of 5242880 bytes: it is returned as a file."; out.String() != want {
			t.Errorf("%s: %q, want %q", name, out.String(), want)
		}
		g.put(name, content+"x")
		if got, want := g.run("read", args("file_path", name)), "error: "+name+" is "+c.media+" of 5242881 bytes, and 5MiB is the most that is returned"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A large file is read as a stream, and not further than anybody wants.
func TestReadStops(t *testing.T) {
	g := newGround(t)
	f, err := os.Create(g.at("huge"))
	g.must(err)
	defer f.Close()
	for range 64 {
		_, err = io.WriteString(f, strings.Repeat("a line of text\n", 1<<16))
		g.must(err)
	}
	out := sink{full: 100_000}
	if _, err := g.call(t.Context(), "read", args("file_path", "huge"), &out); !errors.Is(err, errFull) || out.Len() > 200_000 {
		t.Errorf("nobody wants more: %v after %d bytes", err, out.Len())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("stopped")
	out = sink{took: func() { cancel(cause) }}
	if _, err := g.call(ctx, "read", args("file_path", "huge"), &out); !errors.Is(err, cause) || out.Len() > 200_000 {
		t.Errorf("stopped: %v after %d bytes", err, out.Len())
	}
	if got := g.run("read", args("file_path", "huge", "offset", 1<<22, "limit", 1)); got != "4194304\ta line of text\n" {
		t.Errorf("the last line: %.100q", got)
	}
}

// The output of an earlier call can be read though it is in no directory of the task.
func TestReadOfAnOutput(t *testing.T) {
	g := newGround(t)
	kept := g.put("../"+lastOf(g.dir)+"-output", "of an earlier call\n")
	defer os.Remove(kept)
	f, err := os.Open(kept)
	g.must(err)
	defer f.Close()
	g.kept = map[string]*os.File{kept: f}
	if got := g.run("read", args("file_path", kept)); got != "     1\tof an earlier call\n" {
		t.Errorf("an output: %q", got)
	}
}
