package server

// Limits bound what one caller, and all of them together, may hold at a time. A
// caller is the name that authentication gave it, else its address: of IPv6 the
// first 64 bits. 0 is no limit. Beyond a caller's own a request is told 429,
// beyond that of all 503, both with Retry-After. The card and the health paths
// count for nobody's totals: of them an address may have CallerRequests under
// way.
type Limits struct {
	// Requests are those under way, a stream's until it has begun.
	Requests, CallerRequests int
	// Streams are those that are open.
	Streams, CallerStreams int
	// Bytes are those of request bodies under way.
	Bytes, CallerBytes int64
	// CallerRate is how many pieces of new work (messages without a task, tool
	// calls) a caller may begin a second, after CallerBurst at once.
	CallerRate  float64
	CallerBurst int
	// Connections are those that are open. Beyond, the one that has been idle
	// for longest makes room, or the new one is refused. A caller's requests and
	// streams are three quarters of it at most: others want one, too.
	Connections int
}

// callerConnections is how many connections one caller may keep busy.
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
