package a2a

import "strconv"

// The media types of bodies. 1.0 over REST has a type of its own.
const (
	TypeJSON = "application/json"
	TypeA2A  = "application/a2a+json"
	TypeSSE  = "text/event-stream"
)

// The headers of requests.
const (
	// HeaderVersion names the dialect (§3.6.1); it may be a query parameter, too.
	HeaderVersion = "A2A-Version"
	// HeaderExtensions lists the URIs of extensions (§4.6.1); in 0.3 it began with X-.
	HeaderExtensions = "A2A-Extensions"
	// HeaderLastEventID names the last event that a client has, when it comes back
	// (WHATWG HTML §9.2.4).
	HeaderLastEventID = "Last-Event-ID"
)

// ParseEventID reads an id of ours; 0 for none. One that we did not give, or that
// comes twice, is none: the stream then begins with a snapshot, which is right
// for everybody.
func ParseEventID(values ...string) uint64 {
	if len(values) != 1 {
		return 0
	}
	id, err := strconv.ParseUint(values[0], 10, 64)
	if err != nil {
		return 0
	}
	return id
}
