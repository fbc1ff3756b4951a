package server

import "net/http"

// These are what a trusted page may send and read in addition to what every page may (Fetch
// §3.3). None of them is a credential that a browser adds by itself.
const (
	corsMethods = "GET, HEAD, POST, DELETE"
	corsSent    = "Accept, Authorization, Content-Type, Content-Encoding, A2A-Version, A2A-Extensions, X-A2A-Extensions, Last-Event-ID, Traceparent, If-None-Match, If-Modified-Since, Cache-Control"
	corsRead    = "A2A-Extensions, X-A2A-Extensions, ETag, Last-Modified, Location, Retry-After, WWW-Authenticate, X-Spring-Voyage-Bridge-Version"
	corsKept    = "600" // seconds that a browser remembers the answer to a preflight
)

// trustOrigins allows calls from pages of the configured origins.
func (s *Server) trustOrigins() {
	s.cors = make(map[string]bool)
	for _, origin := range s.opts.CORS {
		if err := s.origins.AddTrustedOrigin(origin); err != nil {
			s.log.Warn("a page's origin is none", "origin", origin, "err", err)
			continue
		}
		s.cors[origin] = true
	}
}

// trustedPage reports whether the request comes from a page whose origin the operator
// named.
func (s *Server) trustedPage(r *http.Request) bool {
	return len(s.cors) > 0 && s.cors[r.Header.Get("Origin")]
}

// allowPage lets a trusted page read the answer, even if it is a refusal.
func (x *exchange) allowPage() {
	if len(x.s.cors) == 0 {
		return
	}
	h := x.w.Header()
	h.Set("Vary", "Origin")
	if !x.s.trustedPage(x.r) {
		return
	}
	h.Set("Access-Control-Allow-Origin", x.r.Header.Get("Origin"))
	h.Set("Access-Control-Expose-Headers", corsRead)
}

// isPreflight reports whether a browser asks what a trusted page may send. A browser sends
// no credentials then (Fetch §4.8).
func (x *exchange) isPreflight() bool {
	return x.r.Method == http.MethodOptions && x.s.trustedPage(x.r) && x.r.Header.Get("Access-Control-Request-Method") != ""
}

func (x *exchange) servePreflight() {
	h := x.w.Header()
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsSent)
	h.Set("Access-Control-Max-Age", corsKept)
	x.start(http.StatusNoContent)
}
