package sidecar

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// stranger is a user that owns nothing here.
var stranger = &proc.User{UID: 1<<32 - 2, GID: 1<<32 - 2}

// judgedBy returns a sidecar whose agent is judged by one card.
func judgedBy(card, sandbox string) (*sidecar, *await.Log) {
	log := &await.Log{}
	s := &sidecar{Options: Options{Log: log.Logger(), Config: config.Config{Card: card, Sandbox: sandbox, User: stranger}}}
	return s, log
}

// A file that nobody can look at may be anybody's.
func TestWhatCannotBeLookedAtIsNotSafe(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	s, log := judgedBy(loop, config.SandboxAuto)
	if err := s.checkJudgingFiles(context.Background()); err != nil {
		t.Fatal(err)
	}
	log.Says(t, "--card "+loop+" (it cannot be looked at")
	s, _ = judgedBy(loop, config.SandboxRequired)
	if err := s.checkJudgingFiles(context.Background()); err == nil || !strings.Contains(err.Error(), "--card "+loop+" (it cannot be looked at") {
		t.Errorf("required: %v", err)
	}
}

// The record of calls and its key are among the files that the agent must not change. An agent of
// our own user can, which is told and no fault: it could write nowhere else either.
func TestTheAuditIsKeptFromTheAgent(t *testing.T) {
	for _, name := range audit.Files("audit.ndjson") {
		dir := t.TempDir()
		s, _ := judgedBy("", config.SandboxRequired)
		s.Config.Audit = filepath.Join(dir, "audit.ndjson")
		if err := s.checkJudgingFiles(context.Background()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o606); err != nil {
			t.Fatal(err)
		}
		if err := s.checkJudgingFiles(context.Background()); err == nil || !strings.Contains(err.Error(), "--audit "+file) {
			t.Errorf("%s: %v", name, err)
		}
		own, log := judgedBy("", config.SandboxRequired)
		own.Config.Audit, own.Config.User = s.Config.Audit, nil
		if err := own.checkJudgingFiles(context.Background()); err != nil {
			t.Errorf("our own user: %v", err)
		}
		log.Says(t, "can change the record of its calls")
	}
}
