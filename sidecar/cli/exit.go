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

// The exit codes of all commands. For run they are the agent's own, so ours stay out
// of their way there: only 2, 125, 126 and 127.
const (
	exitFailed    = 1   // the task, the call or the check failed
	exitUsage     = 2   // the command line is wrong
	exitNobody    = 3   // somebody would have to answer, and nobody can
	exitNoSidecar = 4   // there is no sidecar there
	exitCanceled  = 5   // stopped before it ended
	exitRejected  = 6   // denied, or not accepted
	exitBusy      = 7   // not now: try again
	exitTimedOut  = 8   // a deadline passed
	exitArguments = 9   // the tool's arguments are invalid
	exitUnknown   = 10  // no such tool
	exitFault     = 125 // our own fault: settings, files, ports
	exitInterrupt = 130 // Ctrl-C
)

// exitError is an error that knows its exit code. If err is nil, everything has been
// said already.
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

// silent returns an error that only sets the exit code and prints nothing.
func silent(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code}
}

// usagef returns the error of a wrong command line. Its hint names the command's
// help.
func usagef(command, format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...), hint: "see " + command + " --help"}
}

// configError returns an error with code 2 and the command's help as the hint, if
// only the command line is to blame, otherwise with code 125.
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

// notASidecar returns the error for a server of another kind.
func notASidecar(base, answer string) error {
	return &exitError{code: exitNoSidecar, err: fmt.Errorf("%s is not a sidecar: it answered %s", base, answer),
		hint: "say where it is with --url or SIDECAR_URL"}
}

// certificateHint says whose certificate is rejected.
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

// otherScheme returns the hint for an http address if the server wants https, and the
// reverse; net/http tells both only in words.
func otherScheme(err error) string {
	switch text := err.Error(); {
	case strings.Contains(text, "Client sent an HTTP request to an HTTPS server"):
		return "it serves TLS: begin --url (SIDECAR_URL) with https://"
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "it serves no TLS: begin --url (SIDECAR_URL) with http://"
	}
	return ""
}

// dialFailed reports whether the connection could not be made.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// innermost removes the layers that repeat the address.
func innermost(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// callCode returns the exit code of an outcome.
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
