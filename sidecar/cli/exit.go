package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// The exit codes of all commands. Those of run are the agent's own, so ours
// are out of its way there: 2, 125, 126 and 127 only.
const (
	exitFailed    = 1   // the task, the call or the check failed
	exitUsage     = 2   // the command line is wrong
	exitNobody    = 3   // somebody would have to answer, and nobody can
	exitNoSidecar = 4   // no sidecar there
	exitCanceled  = 5   // stopped before it ended
	exitRejected  = 6   // denied, or not taken on
	exitBusy      = 7   // not now: try again
	exitTimedOut  = 8   // a deadline passed
	exitArguments = 9   // the tool's arguments are invalid
	exitUnknown   = 10  // no such tool
	exitFault     = 125 // our own fault: settings, files, ports
	exitInterrupt = 130 // Ctrl-C
)

// exitError is an error that knows its exit code. A nil err says that all has
// been said.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// silent ends with a code and says nothing.
func silent(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// usagef is a wrong command line. The hint names the help of the command.
func usagef(command, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: "see " + command + " --help"}
}

// configError is 2, with the command's help as the hint, when the command line
// alone is to blame, else 125.
func configError(command string, err error) error {
	var faults config.Faults
	if !errors.As(err, &faults) {
		return err
	}
	if faults.Usage() {
		return &exitError{code: exitUsage, err: faults, hint: "see " + command + " --help"}
	}
	return &exitError{code: exitFault, err: faults}
}

// clientError explains an error of a request to base.
func clientError(base string, err error) error {
	if err == nil {
		return nil
	}
	var ours *exitError
	if errors.As(err, &ours) {
		return err
	}
	if dialFailed(err) {
		return &exitError{code: exitNoSidecar, err: fmt.Errorf("no sidecar at %s: %w", base, innermost(err)),
			hint: "start one with: sidecar run -- COMMAND, or say where it is with --url or SIDECAR_URL"}
	}
	if errors.Is(err, a2a.ErrUnauthenticated) {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", base, err),
			hint: "say who calls: a token in SIDECAR_TOKEN or --token-file FILE, or a certificate with --cert and --key"}
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", base, untrusted.Err),
			hint: "--ca FILE or SIDECAR_CA names whom to trust: an authority, or the server's own certificate"}
	}
	if hint := otherScheme(err); hint != "" {
		return &exitError{code: exitFailed, err: fmt.Errorf("%s: %w", base, innermost(err)), hint: hint}
	}
	var foreign *client.ForeignError
	if errors.As(err, &foreign) {
		return notASidecar(base, foreign.Answer())
	}
	if strings.Contains(err.Error(), "malformed HTTP") { // net/http tells it in words only
		return notASidecar(base, "something that is not HTTP")
	}
	code := exitFailed
	if errors.Is(err, a2a.ErrBusy) || errors.Is(err, a2a.ErrUnavailable) {
		code = exitBusy
	}
	return &exitError{code: code, err: fmt.Errorf("%s: %w", base, innermost(err)), hint: certificateHint(err)}
}

// notASidecar is the error of a server of another kind.
func notASidecar(base, answer string) error {
	return &exitError{code: exitNoSidecar, err: fmt.Errorf("%s is not a sidecar: it answered %s", base, answer),
		hint: "say where it is with --url or SIDECAR_URL"}
}

// certificateHint says whose certificate is not good.
func certificateHint(err error) string {
	var theirs x509.CertificateInvalidError
	var refused *net.OpError
	switch {
	case errors.As(err, &theirs):
		return "it is the server's certificate: whoever runs it puts a good one in the place of --tls-cert"
	case errors.As(err, &refused) && refused.Op == "remote error":
		return "the server does not take the certificate of --cert (SIDECAR_CERT)"
	}
	return ""
}

// otherScheme is the hint for an address of http where the server wants https,
// and the other way round; net/http tells both in words only.
func otherScheme(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "Client sent an HTTP request to an HTTPS server"):
		return "it serves TLS: begin --url (SIDECAR_URL) with https://"
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "it serves no TLS: begin --url (SIDECAR_URL) with http://"
	}
	return ""
}

// dialFailed reports whether there was nobody to speak to.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// innermost drops the layers that repeat the address.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// callCode is the exit code of an outcome.
func callCode(status int, outcome string) int {
	if status == http.StatusAccepted {
		return exitNobody
	}
	switch outcome {
	case "final", "truncated", "artifact", "redacted", "synthetic":
		return 0
	case "invalid_arguments":
		return exitArguments
	case "unknown_tool":
		return exitUnknown
	case "denied", "rejected":
		return exitRejected
	case "busy", "unavailable":
		return exitBusy
	case "timed_out":
		return exitTimedOut
	case "canceled":
		return exitCanceled
	}
	return exitFailed
}
