package acp

import (
	"bytes"
	"encoding/json"
)

// fields are the members of a JSON object. Each is decoded by itself, so that one that is wrong costs
// nothing else.
type fields map[string]json.RawMessage

// object returns the members of a JSON object, nil for anything else.
func object(v json.RawMessage) (f fields) {
	if json.Unmarshal(v, &f) != nil {
		return nil
	}
	return f
}

// object returns a member that is an object, nil if it is none.
func (f fields) object(name string) fields { return object(f[name]) }

// text returns the first of the members that is a text and not empty.
func (f fields) text(names ...string) (s string) {
	for _, name := range names {
		if json.Unmarshal(f[name], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// flag reports whether a member is true.
func (f fields) flag(name string) (set bool) {
	return json.Unmarshal(f[name], &set) == nil && set
}

// list returns the elements of a member that is an array, nil if it is none.
func (f fields) list(name string) (all []json.RawMessage) {
	if json.Unmarshal(f[name], &all) != nil {
		return nil
	}
	return all
}

// has reports whether a member is there and not null.
func (f fields) has(name string) bool { return present(f[name]) }

// present reports whether a value is there and not null.
func present(v json.RawMessage) bool {
	return len(v) > 0 && !bytes.Equal(v, []byte("null"))
}

// number returns the first of the members that is a number from 0.
func (f fields) number(names ...string) (n float64, ok bool) {
	for _, name := range names {
		if present(f[name]) && json.Unmarshal(f[name], &n) == nil && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

// count returns the first of the members that is a number from 0, as a whole one; the largest there is for one
// that is larger.
func (f fields) count(names ...string) (n int64, ok bool) {
	v, ok := f.number(names...)
	if v >= 1<<62 {
		return 1 << 62, ok
	}
	return int64(v), ok
}

// texts returns a member that is a text or a list of texts. whole is false if an element is none, or if there are
// more than limit.
func (f fields) texts(name string, limit int) (all []string, whole bool) {
	if !f.has(name) {
		return nil, true
	}
	if s := f.text(name); s != "" {
		return []string{s}, true
	}
	if json.Unmarshal(f[name], &all) != nil {
		return nil, false
	}
	if len(all) > limit {
		return all[:limit], false
	}
	return all, true
}
