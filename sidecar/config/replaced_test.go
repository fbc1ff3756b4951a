package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestOldNamesSayWhatTookTheirPlace, wherever one stands: as a flag, as a variable and
// as a key.
func TestOldNamesSayWhatTookTheirPlace(t *testing.T) {
	for old, now := range map[string]string{
		"cols": "size", "rows": "size", "keep-tasks": "keep-bytes", "retain-tasks": "retain-bytes",
		"max-streams": "max-requests", "max-tasks": "max-requests", "caller-streams": "caller-requests", "caller-tasks": "caller-requests",
		"print-config": "", "print-card": "",
	} {
		variable := func(name string) string { return "SIDECAR_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) }
		byFlag, byVariable, byKey := "--"+now+" took its place", variable(now)+" took its place", ": "+now+" took its place"
		if command, is := strings.CutPrefix(old, "print-"); is {
			byFlag = "the command sidecar " + command
			byKey = byFlag
		} else if !slices.ContainsFunc(config.Settings(), func(s config.Setting) bool { return s.Name == now }) {
			t.Errorf("there is no %s", now)
		}
		if err := config.ReplacedFlag(old); err == nil || !strings.Contains(err.Error(), byFlag) {
			t.Errorf("--%s: %v", old, err)
		}
		loaded, err := config.Load(config.Sources{Args: []string{"cat"}, Environ: []string{variable(old) + "=1"}})
		if now == "" { // it never was a variable
			if err != nil || len(loaded.Warnings) != 1 {
				t.Errorf("%s: %v, warnings %q", variable(old), err, loaded.Warnings)
			}
		} else if err == nil || !strings.Contains(err.Error(), variable(old)+`="1" is no setting any more: `) || !strings.Contains(err.Error(), byVariable) || len(loaded.Warnings) > 0 {
			t.Errorf("%s: %v, warnings %q", variable(old), err, loaded.Warnings)
		}
		src := fromFile(t, `{"`+old+`": 1}`)
		src.Args = []string{"cat"}
		if _, err := config.Load(src); err == nil || !strings.Contains(err.Error(), byKey) {
			t.Errorf("the key %s: %v", old, err)
		}
	}
	if err := config.ReplacedFlag("port"); err != nil {
		t.Errorf("--port: %v", err)
	}
}

// TestLimitsThatFollowOthers: two settings bound requests, streams and tasks, and the
// bytes that are kept bound the tasks that are.
func TestLimitsThatFollowOthers(t *testing.T) {
	c := config.DefaultConfig()
	got := []int{c.MaxStreams(), c.CallerStreams(), c.MaxTasks(), c.CallerTasks(), c.KeepTasks(), c.RetainTasks(), c.OpenApprovals(), c.CallerApprovals()}
	if want := []int{1024, 512, 2048, 1024, 1024, 10485, 108, 0}; !slices.Equal(got, want) {
		t.Errorf("by default %v, want %v", got, want)
	}
	c.MaxRequests, c.CallerRequests, c.KeepBytes, c.RetainBytes = 0, 0, 1<<10, 1<<10
	c.MaxConcurrency, c.Queue, c.TokenFile = 1, 0, "tokens.json"
	got = []int{c.MaxStreams(), c.CallerStreams(), c.MaxTasks(), c.CallerTasks(), c.KeepTasks(), c.RetainTasks(), c.OpenApprovals(), c.CallerApprovals()}
	if want := []int{0, 0, 0, 0, 1, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("without limits %v, want %v", got, want)
	}
}
