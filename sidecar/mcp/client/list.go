package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The limits of one server's list. What is beyond them is left out, with a problem.
const (
	maxTools     = 10_000
	maxPages     = 1_000
	maxListBytes = 32 << 20 // of all definitions
	maxToolBytes = 256 << 10
	maxCursor    = 4 << 10 // bytes of a cursor
)

// listing is what a server said that it has, before anybody has judged it.
type listing struct {
	info     peer
	tools    []json.RawMessage
	problems []error // what was cut off
}

// page is one answer to tools/list.
type page struct {
	Tools      json.RawMessage `json:"tools"`
	NextCursor json.RawMessage `json:"nextCursor"`
}

// list reads all pages of a server's tools, within the limits.
func (s *session) list(ctx context.Context) (*listing, error) {
	l := &listing{info: s.info}
	if !s.info.tools {
		return l, nil
	}
	cursor, size, seen := "", 0, map[string]bool{}
	for n := 1; ; n++ {
		params := map[string]any{}
		if n > 1 {
			params["cursor"] = cursor
		}
		raw, err := s.request(ctx, &outgoing{method: "tools/list", params: params})
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		var p page
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, fmt.Errorf("tools/list: %w: the answer is no object", ErrProtocol)
		}
		more, err := l.add(p.Tools, &size)
		if err != nil || !more {
			return l, err
		}
		if cursor = cursorOf(p.NextCursor); cursor == "" {
			return l, nil
		}
		if seen[cursor] {
			return l.cut("the list does not end: a cursor came twice"), nil
		}
		if seen[cursor] = true; n == maxPages {
			return l.cut(fmt.Sprintf("the list has more than %d pages", maxPages)), nil
		}
		if len(cursor) > maxCursor {
			return l.cut(fmt.Sprintf("a cursor has more than %s", text.FormatSize(maxCursor))), nil
		}
	}
}

func (l *listing) cut(why string) *listing {
	l.problems = append(l.problems, fmt.Errorf("%s; what came before is kept", why))
	return l
}

// add adds the tools of a page. It reports whether there may be more.
func (l *listing) add(tools json.RawMessage, size *int) (more bool, err error) {
	if len(tools) == 0 || string(tools) == "null" {
		return true, nil
	}
	d := json.NewDecoder(bytes.NewReader(tools))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return false, fmt.Errorf(`tools/list: %w: "tools" is no array`, ErrProtocol)
	}
	for d.More() {
		var tool json.RawMessage
		if err := d.Decode(&tool); err != nil {
			return false, errors.Join(ErrProtocol, err)
		}
		if *size += len(tool); *size > maxListBytes {
			l.cut("the list is longer than " + text.FormatSize(maxListBytes))
			return false, nil
		}
		if len(l.tools) == maxTools {
			l.cut(fmt.Sprintf("the list has more than %d tools", maxTools))
			return false, nil
		}
		l.tools = append(l.tools, tool)
	}
	return true, nil
}

// cursorOf returns a page's cursor, "" for none.
func cursorOf(raw json.RawMessage) (cursor string) {
	if json.Unmarshal(raw, &cursor) != nil {
		return ""
	}
	return cursor
}
