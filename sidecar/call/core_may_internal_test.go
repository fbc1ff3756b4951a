package call

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// beneathOf returns what judges paths below the workspace for a call of read under some rules.
func beneathOf(t testing.TB, dir, rules string, approved bool) func(policy.Capability, string) bool {
	t.Helper()
	set, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "policy.json", Data: []byte(`{"rules":[` + rules + `]}`)}}, policy.Options{Roots: policy.Roots{"workspace": {dir}}})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := tool.NewSet([]string{"read"})
	if err != nil {
		t.Fatal(err)
	}
	registry := task.NewRegistry(task.Options{})
	t.Cleanup(registry.Close)
	p, err := New(Options{Decider: set, Tasks: registry, MaxConcurrency: 1, AskTimeout: time.Minute, MaxOutput: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	inv := &Invocation{p: p, tool: tools.Lookup("core.read").Definition, args: `{"file_path":"."}`, task: registry.Create("ann", "", &a2a.Message{ID: "m"}, nil)}
	inv.input = input{final: inv.args, scope: scope, set: scope.Effective(inv.tool), uses: []policy.Use{{Capability: policy.FSRead, Pointer: "/file_path", Value: dir}}}
	inv.joinWork()
	inv.rules = set.Decide(t.Context(), inv.permission())
	if approved {
		inv.approved = &approval.Answer{}
	}
	return p.mayBeneath(inv, []string{dir}, nil)
}

func TestWhatIsBelowAJudgedDirectory(t *testing.T) {
	const dir = "/ws"
	const allow = `{"permission":"*","action":"allow"}`
	deny := func(pattern string) string {
		return `{"permission":"fs.read","pattern":"` + pattern + `","action":"deny"},`
	}
	ask := `{"permission":"fs.read","pattern":"{workspace}/secrets/**","action":"ask"},`
	for name, c := range map[string]struct {
		rules    string
		approved bool
		want     string // of a/b, .env, a/.env, secrets, secrets/key; free: nothing has to be asked
	}{
		"no rule speaks of it":             {allow, false, "free"},
		"a rule speaks of something else":  {deny("/etc/**") + allow, false, "free"},
		"a rule denies a directory":        {deny("{workspace}/secrets/**") + allow, false, "true true true false false"},
		"a rule denies files":              {deny("**/.env") + allow, false, "true false false true true"},
		"a rule denies all":                {deny("{workspace}/**") + allow, false, "false false false false false"},
		"a rule asks":                      {ask + allow, false, "true true true false false"},
		"a rule asks for a part":           {ask + `{"permission":"*","action":"ask"}`, true, "true true true false false"},
		"the call was approved":            {`{"permission":"*","action":"ask"}`, true, "true true true true true"},
		"the call was not approved":        {`{"permission":"*","action":"ask"}`, false, "false false false false false"},
		"no rule, and it was approved":     {`{"permission":"acme.*","action":"allow"}`, true, "true true true true true"},
		"a deny in what was approved":      {deny("**/.env") + `{"permission":"*","action":"ask"}`, true, "true false false true true"},
		"the tool is allowed, a part not":  {deny("{workspace}/secrets/**") + `{"permission":"read","action":"allow"}`, false, "true true true false false"},
		"the tool asks, and was approved":  {deny("**/.env") + `{"permission":"read","action":"ask"}`, true, "true false false true true"},
		"what is read is allowed, no tool": {`{"permission":"fs.read","pattern":"{workspace}/a/**","action":"allow"}`, false, "true false true false false"},
	} {
		may := beneathOf(t, dir, c.rules, c.approved)
		got := "free"
		if may != nil {
			ask := func(path string) bool { return may(policy.FSRead, dir+"/"+path) }
			got = fmt.Sprint(ask("a/b"), ask(".env"), ask("a/.env"), ask("secrets"), ask("secrets/key"))
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestManyAskWhatIsBelow(t *testing.T) {
	may := beneathOf(t, "/ws", `{"permission":"fs.read","pattern":"**/.env","action":"deny"},{"permission":"*","action":"allow"}`, false)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 100 {
				if !may(policy.FSRead, fmt.Sprintf("/ws/%d/a", (i+j)%50)) || may(policy.FSRead, fmt.Sprintf("/ws/%d/.env", (i+j)%50)) {
					t.Error("wrong")
				}
			}
		})
	}
	all.Wait()
}

// BenchmarkBeneath lists 10,000 files in 100 directories, under rules that do not speak of them, that deny
// one directory, and that deny some name wherever it is.
func BenchmarkBeneath(b *testing.B) {
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 100 {
		sub := filepath.Join(dir, fmt.Sprint(i))
		err = errors.Join(err, os.Mkdir(sub, 0o755))
		for j := range 100 {
			err = errors.Join(err, os.WriteFile(filepath.Join(sub, fmt.Sprint(j)), nil, 0o644))
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	const allow = `{"permission":"*","action":"allow"}`
	for _, c := range []struct{ name, rules string }{
		{"no rule", allow},
		{"a directory", `{"permission":"fs.read","pattern":"{workspace}/secrets/**","action":"deny"},` + allow},
		{"a name", `{"permission":"fs.read","pattern":"**/.env","action":"deny"},` + allow},
	} {
		b.Run(c.name, func(b *testing.B) {
			var bare time.Duration
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				for i := range 100 {
					if _, err := os.ReadDir(filepath.Join(dir, fmt.Sprint(i))); err != nil {
						b.Fatal(err)
					}
				}
				bare += time.Since(start)
				may := beneathOf(b, dir, c.rules, false)
				b.StartTimer()
				all, err := files.New(files.Options{Roots: []string{dir}, Dir: dir, Reads: []string{dir}, May: may})
				if err != nil {
					b.Fatal(err)
				}
				err = all.Run(func(f tool.FS) {
					for i := range 100 {
						if found, err := f.ReadDir(fmt.Sprint(i)); err != nil || len(found) != 100 {
							b.Error(len(found), err)
						}
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				all.Close()
			}
			b.ReportMetric(float64(bare.Microseconds())/float64(b.N)/1e3, "bare-ms")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1e3, "ms")
		})
	}
}
