package sidecar_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func BenchmarkManifestEdit(b *testing.B) {
	path := filepath.Join(b.TempDir(), "tools.json")
	list := func(generation int) string {
		var tools []string
		for i := range 200 {
			tools = append(tools, fmt.Sprintf(`{"name":"test.t%d","description":"generation %d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i, generation))
		}
		return "[" + strings.Join(tools, ",\n") + "]"
	}
	writeFile(b, path, list(0))
	base, _ := ship(b, "--manifest", path, "--mode", "oneshot", "--", "cat")
	for b.Loop() {
		var all []time.Duration
		for i := range 20 {
			mark := []byte(fmt.Sprintf("generation %d\"", i+1))
			begin := time.Now()
			writeFile(b, path, list(i+1))
			for {
				res, err := http.Get(base + "/a2a/tools")
				if err != nil {
					b.Fatal(err)
				}
				text, _ := io.ReadAll(res.Body)
				res.Body.Close()
				if bytes.Contains(text, mark) {
					break
				}
			}
			all = append(all, time.Since(begin))
		}
		report(b, "edit of 200 tools to visible, worst of 20", float64(slices.Max(all))/1e6, "ms", "<= 100")
	}
}

func BenchmarkTenThousandTools(b *testing.B) {
	var tools []string
	for i := range 10_000 {
		tools = append(tools, fmt.Sprintf(`{"name":"test.t%d","description":"The tool of that number.","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"type":"string","minLength":1},"n":{"type":"integer","minimum":%d},"list":{"type":"array","items":{"enum":["x","y"]}}},"additionalProperties":false}}`, i, i))
	}
	path := filepath.Join(b.TempDir(), "tools.json")
	writeFile(b, path, "["+strings.Join(tools, ",\n")+"]")
	for b.Loop() {
		port := freePort(b)
		base, cmd, took := serving(b, port, "/readyz", shipped(b), "run", "--port", port, "--log-level", "error", "--manifest", path, "--mode", "oneshot", "--", "cat")
		report(b, "start with 10,000 tools", took.Seconds(), "s-load", "<= 1.5")
		report(b, "peak RSS", memory(b, cmd.Process.Pid, "VmHWM")/1024, "MiB-peak", "<= 64")
		var all []time.Duration
		for range 20 {
			all = append(all, timed(func() {
				res, err := http.Get(base + "/a2a/tools")
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}))
		}
		report(b, "list of 10,000", float64(median(all))/1e6, "ms-list", "<= 10")
		end(cmd)
	}
}
