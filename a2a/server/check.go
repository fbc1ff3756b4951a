package server

import (
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	maxContextID = 128 // bytes
	maxPageSize  = 100 // tasks (§3.1.4)
)

// checkMessage refuses a message that must not reach an agent: an empty one, or one with
// ids that are not safe in an argument or a file name.
func checkMessage(m *a2a.Message) error {
	if !saysSomething(m.Parts) {
		return a2a.ErrInvalidParams.With("message.parts must hold something other than white space").At("message.parts")
	}
	if m.ContextID != "" && !validContextID(m.ContextID) {
		return a2a.ErrInvalidParams.With("message.contextId must be 1 to %d of [A-Za-z0-9._:-], the first a letter or digit", maxContextID).At("message.contextId")
	}
	return nil
}

func saysSomething(parts []a2a.Part) bool {
	for _, p := range parts {
		if p.Kind != a2a.PartText || strings.TrimSpace(p.Text) != "" {
			return true
		}
	}
	return false
}

func validContextID(id string) bool {
	if len(id) > maxContextID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case i > 0 && (c == '.' || c == '_' || c == ':' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// checkHistory refuses a negative history length (§3.2.4).
func checkHistory(n *int, field string) error {
	if n != nil && *n < 0 {
		return a2a.ErrInvalidParams.With("historyLength must not be negative").At(field)
	}
	return nil
}

// checkList checks the ranges of a list request (§3.1.4).
func checkList(r *a2a.ListRequest) error {
	if r.PageSize < 1 || r.PageSize > maxPageSize {
		return a2a.ErrInvalidParams.With("pageSize must be 1 to %d", maxPageSize).At("pageSize")
	}
	if r.StatusAfter != "" {
		if _, err := time.Parse(time.RFC3339, r.StatusAfter); err != nil {
			return a2a.ErrInvalidParams.With("statusTimestampAfter must be a time as RFC 3339 has it, such as 2026-01-02T15:04:05Z").At("statusTimestampAfter")
		}
	}
	return checkHistory(r.HistoryLength, "historyLength")
}
