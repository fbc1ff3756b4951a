package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// openWatchdog opens the watchdog, if there is one.
func (s *sidecar) openWatchdog(context.Context) (err error) {
	c := &s.Config
	if c.Watchdog == "" {
		return nil
	}
	secrets := s.redactor(s.rules.Set)
	s.watchdog, err = watchdog.Open(watchdog.Options{
		Target: c.Watchdog, Timeout: c.WatchdogTimeout, Host: s.host, Agent: c.User, Strict: c.Sandbox == config.SandboxRequired,
		Name: c.Name, Failed: func(f watchdog.Failure) { s.metrics.WatchdogFailed(string(f)) }, Log: s.Log,
		Clean: func(said string) string {
			said, _ = secrets().Text(said)
			return said
		},
	})
	return err
}

func (s *sidecar) closeWatchdog(context.Context) error {
	if s.watchdog != nil {
		s.watchdog.Close()
	}
	return nil
}

// openAudit opens the audit, if there is a place for it. One that somebody asked for must
// work, and so must any if nothing may run outside of the sandbox. Otherwise the sidecar
// goes on without one and says so.
func (s *sidecar) openAudit(context.Context) error {
	c := &s.Config
	file := c.AuditFile()
	if file == "" {
		return nil
	}
	strict := c.Sandbox == config.SandboxRequired
	log, err := audit.Open(audit.Options{File: file, Strict: strict, Version: s.Version, Log: s.Log})
	if err != nil && c.Audit == "" && !c.StoreAsked && !strict {
		s.Log.Warn("tool calls are not audited", "error", err)
		return nil
	}
	s.audit = log
	return err
}

func (s *sidecar) closeAudit(context.Context) error {
	if s.audit == nil {
		return nil
	}
	return s.audit.Close()
}

// judges adds the watchdog and the audit to what calls pass.
func (s *sidecar) judges(o *call.Options) {
	if s.watchdog != nil {
		o.Watchdog = s.watchdog
	}
	if s.audit != nil {
		o.Audit = s.audit
	}
}
