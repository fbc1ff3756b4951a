package server

// Limits limits what one caller, and all callers together, may hold at a time. A caller is
// identified by its authenticated name, else by its address (the first 64 bits of IPv6). 0
// means no limit. A request beyond the caller's own limit is answered with 429, one beyond
// the limit of all callers with 503, both with Retry-After. The card and the health paths
// are not part of these totals: an address may have CallerRequests of them under way.
type Limits struct {
	// Requests limits the requests under way. A stream counts as a request until it has
	// begun.
	Requests, CallerRequests int
	// Streams limits the open streams.
	Streams, CallerStreams int
	// Bytes limits the bytes of request bodies under way.
	Bytes, CallerBytes int64
	// CallerRate is how many pieces of new work (messages without a task, tool calls) a
	// caller may begin per second, after CallerBurst at once.
	CallerRate  float64
	CallerBurst int
	// Connections limits the open connections. Beyond it, the one that has been idle
	// longest is closed, or the new one is refused. One caller's requests and streams may
	// use at most three quarters of it, so that others get a connection too.
	Connections int
}

// callerConnections returns how many connections one caller may keep busy.
func (l *Limits) callerConnections() int {
	if l.Connections == 0 {
		return 0
	}
	return max(l.Connections*3/4, 1)
}

// enabled reports whether requests have to be counted at all.
func (l *Limits) enabled() bool {
	return l.Requests > 0 || l.CallerRequests > 0 || l.Streams > 0 || l.CallerStreams > 0 ||
		l.Bytes > 0 || l.CallerBytes > 0 || l.CallerRate > 0 || l.Connections > 0
}
