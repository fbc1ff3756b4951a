package call

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// hidden returns what takes the secrets out of what is said of a call. Of one that names no tool,
// it is what the operator's rules take out. nil: nothing is.
func (p *Pipeline) hidden(inv *Invocation) *output.Redactor {
	if inv.secrets == nil && p.opts.Secrets != nil {
		return p.opts.Secrets()
	}
	return inv.secrets
}

// clean returns a text without the secrets of a call.
func (p *Pipeline) clean(inv *Invocation, s string) string {
	s, _ = p.hidden(inv).Text(s)
	return s
}

// cleanRecord takes the secrets out of a record of the audit, before it is cut or written. What
// stands for the arguments stays that of the real ones. A record of which that changes what rules
// look at says so.
func cleanRecord(secrets *output.Redactor, r *audit.Record) {
	if secrets == nil {
		return
	}
	if r.Event == audit.EventRefused && r.Definition == "" { // there is no such tool: it is what the caller wrote
		cleanTexts(secrets, &r.Tool)
	}
	if r.Arguments != nil {
		if judged, found := cleanJSON(secrets, []byte(r.Arguments.Judged)); found {
			r.Arguments.Judged, r.Redacted = string(judged), true
		}
	}
	for i := range r.Uses {
		if cleanUse(secrets, &r.Uses[i]) {
			r.Redacted = true
		}
	}
	cleanTexts(secrets, &r.Reason)
	if r.Watchdog != nil {
		cleanTexts(secrets, &r.Watchdog.Reason)
	}
	for i := range r.Egress {
		cleanTexts(secrets, &r.Egress[i].Host, &r.Egress[i].Reason)
	}
}

// cleanUse takes the secrets out of a use, and reports whether there were any. Its words are looked
// at one by one, and side by side as they are on a command line.
func cleanUse(secrets *output.Redactor, u *audit.Use) bool {
	found := cleanTexts(secrets, &u.Value)
	if u.Argv == nil {
		return found
	}
	argv := make([]string, len(u.Argv))
	for i, word := range u.Argv {
		argv[i] = word
		found = cleanTexts(secrets, &argv[i]) || found
	}
	if _, still := secrets.Text(strings.Join(argv, " ")); still {
		argv, found = []string{u.Value}, true // a secret of several words
	}
	u.Argv = argv
	return found
}
