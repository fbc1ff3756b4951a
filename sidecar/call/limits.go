package call

import (
	"bytes"
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// outputLimit is how much of a tool's output an envelope has.
type outputLimit struct {
	bytes   int64
	entries int  // lines of a text, items of a JSON array; 0: any number
	search  bool // the lines are those of filesearch.Entries
}

// outputLimitOf returns the limit of a tool. What its definition says comes first, then
// what the table says of its name, then the default for all tools.
func outputLimitOf(t *manifest.Tool, otherwise int64) outputLimit {
	l := knownLimit(tool.Shown(t.Name))
	l.search = l.entries > 0 && t.Bridge.Kind == manifest.BridgeCore
	switch {
	case t.MaxOutput > 0:
		l.bytes = t.MaxOutput
	case l.bytes == 0:
		l.bytes = otherwise
	}
	return l
}

// knownLimit is the table of the tools that every agent knows by name. What they find is
// counted in entries, what they read in bytes.
func knownLimit(name string) outputLimit {
	switch name {
	case "read", "bash", "web_fetch":
		return outputLimit{bytes: 200_000}
	case "glob":
		return outputLimit{entries: 1000}
	case "grep":
		return outputLimit{entries: 200}
	}
	return outputLimit{}
}

// cut returns the beginning of a JSON text that the limit lets into an envelope.
func (l outputLimit) cut(data []byte) []byte {
	if l.entries > 0 {
		data = cutItems(data, l.entries)
	}
	if l.bytes > 0 {
		data = text.Cut(data, int(min(l.bytes, int64(len(data)))))
	}
	return data
}

// cutLines returns the first n lines of a text, and all of it if it has no more. n is
// counted down; a text that comes in pieces is given what is left.
func cutLines(lines []byte, n *int) []byte {
	end := 0
	for *n > 0 {
		i := bytes.IndexByte(lines[end:], '\n')
		if i < 0 {
			return lines
		}
		end += i + 1
		*n--
	}
	return lines[:end]
}

// cutItems returns the beginning of a JSON array with its first n items. It returns all
// of data if there are no more, or if data is not an array.
func cutItems(data []byte, n int) []byte {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return data
	}
	var item json.RawMessage
	for range n {
		if !d.More() || d.Decode(&item) != nil {
			return data
		}
	}
	if !d.More() {
		return data
	}
	return data[:d.InputOffset()]
}
