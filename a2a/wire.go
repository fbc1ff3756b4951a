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
	// HeaderVersion names the dialect (§3.6.1); the version may also be a query parameter.
	HeaderVersion = "A2A-Version"
	// HeaderExtensions lists the URIs of extensions (§4.6.1); in 0.3 it began with X-.
	HeaderExtensions = "A2A-Extensions"
	// HeaderLastEventID names the last event that a client has, when it reconnects (WHATWG
	// HTML §9.2.4).
	HeaderLastEventID = "Last-Event-ID"
)

// ParseEventID parses the ID of an event. It returns 0 if there is none, more than one, or
// one that is not a number: the stream then begins with a snapshot, which is always right.
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
