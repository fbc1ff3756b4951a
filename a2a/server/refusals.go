package server

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// refusalPause is the minimum time between two log lines about refused credentials: a
// caller that guesses must not fill the log.
const refusalPause = time.Second

// refusals logs requests whose authentication failed (§13.4), at most one line per second.
// The line says how many were left out since the last one.
type refusals struct {
	mu      sync.Mutex
	last    time.Time
	leftOut int
}

// allow reports whether a line may be written now, and how many were not.
func (f *refusals) allow(now time.Time) (leftOut int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Sub(f.last) < refusalPause {
		f.leftOut++
		return 0, false
	}
	leftOut, f.leftOut, f.last = f.leftOut, 0, now
	return leftOut, true
}

// logRefusal logs who was refused and why, but never the credentials.
func (s *Server) logRefusal(r *http.Request, err error) {
	if leftOut, ok := s.refused.allow(time.Now()); ok {
		s.log.Warn("authentication failed", "remote", r.RemoteAddr, "method", r.Method, "error", err, "left_out", leftOut)
	}
}

// connectionLog receives what net/http logs about connections. A handshake that failed
// because of a certificate, the server's or the client's, is a warning to the operator; the
// rest, such as clients that went away, is logged at debug level.
type connectionLog struct{ s *Server }

// Write implements io.Writer for one line.
func (l connectionLog) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	rest, handshake := strings.CutPrefix(text, "http: TLS handshake error from ")
	if !handshake || !strings.Contains(rest, "certificate") {
		l.s.log.Debug(text)
		return len(line), nil
	}
	if leftOut, ok := l.s.handshakes.allow(time.Now()); ok {
		remote, why, _ := strings.Cut(rest, ": ")
		l.s.log.Warn("TLS handshake failed", "remote", remote, "error", why, "left_out", leftOut)
	}
	return len(line), nil
}
