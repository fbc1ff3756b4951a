package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

const (
	benchFiles = 5000
	benchSize  = 20 << 10
)

// benchTree makes a tree of 5,000 files with 100 MB of text that looks like source code.
func benchTree(b *testing.B) string {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("func return if err != nil { } for range switch case default string int error context.Context := = make append len cap map[string]int // the of a file that it has been given and where " +
		"request response server client handler options result value buffer Config Registry session parse write reader encode decode json.Unmarshal fmt.Errorf struct interface package import type var const go select chan")
	for i := range benchFiles {
		var text bytes.Buffer
		for text.Len() < benchSize {
			text.WriteString(strings.Repeat("\t", random.IntN(4)))
			for range 2 + random.IntN(10) {
				text.WriteString(words[random.IntN(len(words))])
				text.WriteByte(' ')
			}
			text.WriteByte('\n')
		}
		text.WriteString(strings.Repeat("a line with the FrequentLiteral\n", random.IntN(20)))
		if i%1000 == 500 {
			text.WriteString("the RareNeedle_42 is here\n")
		}
		sub := filepath.Join(dir, fmt.Sprintf("part%d", i%20), fmt.Sprintf("pkg%d", i/20%25))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("file%d%s", i, []string{".go", ".md", ".ts"}[i%3])), text.Bytes(), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// beside runs a command and our own tool by turns, and reports the ratio of the best times.
func beside(b *testing.B, dir string, command []string, id string, args any) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		b.Skipf("%s is not installed: there is nothing to compare with", command[0])
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		b.Fatal(err)
	}
	var theirs, ours time.Duration
	var lines [2]int
	for range max(b.N, 5) {
		begin := time.Now()
		cmd := exec.Command(path, command[1:]...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		theirs = shorter(theirs, time.Since(begin))
		var got bytes.Buffer
		begin = time.Now()
		if err := onFiles(b, dir, id, encoded, &got); err != nil {
			b.Fatal(err)
		}
		ours = shorter(ours, time.Since(begin))
		lines = [2]int{bytes.Count(out, []byte("\n")), bytes.Count(got.Bytes(), []byte("\n"))}
	}
	if lines[0] != lines[1] {
		b.Errorf("%s has %d lines, and %s %d", command[0], lines[0], id, lines[1])
	}
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
	b.ReportMetric(float64(ours.Microseconds())/1000, "ours-ms")
	b.ReportMetric(float64(theirs.Microseconds())/1000, "theirs-ms")
	b.ReportMetric(0, "ns/op")
}

func shorter(best, one time.Duration) time.Duration {
	if best == 0 {
		return one
	}
	return min(best, one)
}

// onFiles runs a tool with the files below a directory.
func onFiles(tb testing.TB, dir, id string, args json.RawMessage, out io.Writer) error {
	all, err := files.New(files.Options{Roots: []string{dir}, Reads: []string{dir}, Dir: dir, Keeper: confined(tb)})
	if err != nil {
		return err
	}
	defer all.Close()
	runErr := all.Run(func(f tool.FS) {
		_, err = toolByID(id).Run(context.Background(), &tool.Call{Args: args, Out: out, Session: &tool.Session{}, FS: f})
	})
	if err == nil {
		err = runErr
	}
	return err
}

func toolByID(id string) *tool.Tool {
	for _, t := range tool.All() {
		if t.ID == id {
			return t
		}
	}
	return nil
}

func BenchmarkGrep(b *testing.B) {
	dir := benchTree(b)
	for _, c := range []struct{ name, pattern string }{
		{"a rare literal", "RareNeedle_42"},
		{"a frequent literal", "FrequentLiteral"},
		{"a regex with a literal", `Registry\s+(\w+)\s+RareNeedle|the\s+Rare\w+ is`},
		{"a regex without one", `[A-Z][a-z]+_[0-9]{2}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			beside(b, dir, []string{"rg", "-n", "--no-heading", "-e", c.pattern, "."}, "grep", map[string]any{"pattern": c.pattern, "output_mode": "content"})
		})
	}
	b.Run("a rare literal in both cases", func(b *testing.B) {
		beside(b, dir, []string{"rg", "-n", "-i", "-e", "rareneedle_42", "."}, "grep", map[string]any{"pattern": "rareneedle_42", "output_mode": "content", "ignore_case": true})
	})
}

func BenchmarkGlob(b *testing.B) {
	dir := benchTree(b)
	name := "fdfind"
	if _, err := exec.LookPath(name); err != nil {
		name = "fd"
	}
	beside(b, dir, []string{name, "-t", "f", "--glob", "*.go"}, "glob", map[string]any{"pattern": "**/*.go"})
}
