package sidecar_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestSkillsFilesAreRead: those in the folder of a skill that --skills names, outside of the workspace, by the paths that
// the tool skill gives, and nothing else that is there; nobody writes them.
func TestSkillsFilesAreRead(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir, named := filepath.Join(base, "skills"), filepath.Join(base, "named")
	folder := writeSkill(t, dir, "pdf", "Reads PDFs.")
	sure(t, os.MkdirAll(filepath.Join(folder, "ref"), 0o755))
	writeFile(t, filepath.Join(folder, "ref", "ü b.md"), "one\r\ntwo\n")
	writeFile(t, filepath.Join(folder, "i.png"), "\x89PNG\r\n\x1a\nxyz")
	writeFile(t, filepath.Join(base, "secret"), "TOP secret")
	writeFile(t, filepath.Join(dir, "beside"), "TOP secret")
	for name, target := range map[string]string{folder + "/out": base + "/secret", folder + "/up": "../beside", folder + "/in": "ref/ü b.md", named: dir} {
		sure(t, os.Symlink(target, name))
	}
	r := run(t, "--mode", "oneshot", "--tools", "core", "--skills", named, "--workspace", t.TempDir(), "--", "cat")
	folder = filepath.Join(named, "pdf")
	if got := doors[0].call(r, "skill", `{"name":"pdf"}`); !strings.Contains(string(got.env.Data), "- ref/ü b.md") {
		t.Fatalf("the skill: %+v", got.env)
	}
	const outside = "is outside of what it may"
	for _, c := range []struct{ tool, args, want string }{
		{"read", `{"file_path":"%s/ref/ü b.md"}`, `"     1\tone\n     2\ttwo\n"`},
		{"read", `{"file_path":"%s/ref/ü b.md","raw":true}`, `"one\r\ntwo\n"`},
		{"read", `{"file_path":"%s/ref/../ref/ü b.md","offset":2}`, `"     2\ttwo\n"`},
		{"read", `{"file_path":"%s/SKILL.md","offset":5}`, `"     5\tDo as pdf says.\n"`},
		{"read", `{"file_path":"` + dir + `/pdf/SKILL.md","offset":5}`, `"     5\tDo as pdf says.\n"`},
		{"read", `{"file_path":"%s/in","offset":2}`, `"     2\ttwo\n"`},
		{"grep", `{"pattern":"t.o","path":"%s/ref/ü b.md","output_mode":"count"}`, `ü b.md:1\n"`},
		{"read", `{"file_path":"%s/out"}`, outside},
		{"read", `{"file_path":"%s/up"}`, outside},
		{"read", `{"file_path":"%s/../beside"}`, outside},
		{"read", `{"file_path":"%s/../../secret"}`, outside},
		{"read", `{"file_path":"%s/none"}`, outside},
		{"read", `{"file_path":"%s/ref"}`, outside},
		{"read", `{"file_path":"%s"}`, outside},
		{"glob", `{"pattern":"**","path":"%s"}`, outside},
		{"grep", `{"pattern":"t.o","path":"%s"}`, outside},
		{"write", `{"file_path":"%s/ref/ü b.md","content":"x"}`, outside},
		{"edit", `{"file_path":"%s/ref/ü b.md","old_string":"one","new_string":"x"}`, outside},
	} {
		args := strings.ReplaceAll(c.args, "%s", folder)
		got := doors[0].call(r, c.tool, args).env
		if said := string(got.Data) + got.ErrorText; !strings.HasSuffix(said, c.want) && (c.want != outside || !strings.Contains(said, outside)) || strings.Contains(said, "TOP") {
			t.Errorf("%s %s: %s, want %s", c.tool, args, said, c.want)
		}
	}
	sure(t, os.RemoveAll(filepath.Join(dir, "pdf")))
	await.True(t, "the skill has gone", func() bool { ids, _ := r.cardSkills(); return !slices.Contains(ids, "skill:pdf") })
	if got := doors[0].call(r, "read", `{"file_path":"`+folder+`/SKILL.md"}`).env; !strings.Contains(got.ErrorText, outside) {
		t.Errorf("of a skill that has gone: %+v", got)
	}
}

// usable writes new skills among 500, one after the other, each until the tool has loaded it, and returns how long each took, the shortest
// first.
func usable(t testing.TB, n int) (took []time.Duration) {
	t.Helper()
	dir := t.TempDir()
	for i := range 500 {
		writeSkill(t, dir, fmt.Sprintf("s%03d", i), strings.Repeat("Long. ", 100))
	}
	r := skilled(t, dir)
	told := r.mustMCP("", "2025-06-18", nil).InitializeResult().Instructions
	if n := strings.Count(told, "\n- s"); n != 500 || len(told) > 64<<10 {
		t.Errorf("%d lines in %d bytes", n, len(told))
	}
	if ids, _ := r.cardSkills(); len(ids) != 201 {
		t.Errorf("the card has %d skills", len(ids))
	}
	for i := range n {
		began := time.Now()
		name := fmt.Sprintf("new-%d", i)
		writeSkill(t, dir, name, "New.")
		await.True(t, name, func() bool { return doors[0].call(r, "skill", `{"name":"`+name+`"}`).env.Metadata.Outcome == "final" })
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took
}

// TestSkillIsUsableSoon: 500 skills cost a model one line each, and one more can be loaded after it was written.
func TestSkillIsUsableSoon(t *testing.T) {
	t.Parallel()
	usable(t, 5)
}

// BenchmarkSkillUsable is the time from the writing of a new skill among 500 until a call of the tool skill has loaded it (budget
// 100 ms).
func BenchmarkSkillUsable(b *testing.B) {
	took := usable(b, max(b.N, 20))
	for _, p := range []struct {
		name string
		at   int
	}{{"p50-ms", 50}, {"p95-ms", 95}, {"max-ms", 100}} {
		b.ReportMetric(float64(took[(len(took)-1)*p.at/100].Microseconds())/1000, p.name)
	}
	b.ReportMetric(0, "ns/op")
}
