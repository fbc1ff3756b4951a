package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// CommandHook is a program that an agent runs as its hook. Agents write it in the same
// way, except for the unit of Timeout.
type CommandHook struct {
	Name    string `json:"name,omitempty"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// AddHooks adds a hook for each of the events to settings, after the hooks that are
// there, and leaves the rest as it is.
func AddHooks(settings []byte, events []string, hook CommandHook) ([]byte, error) {
	ours, err := json.Marshal(map[string][]CommandHook{"hooks": {hook}})
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	var hooks map[string][]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(settings, []byte("\ufeff")), &all); err != nil {
		return nil, fmt.Errorf("the settings cannot be read: %w", err)
	}
	if all == nil {
		return nil, errors.New("the settings are no object")
	}
	if raw := all["hooks"]; raw != nil {
		if err := json.Unmarshal(raw, &hooks); err != nil {
			return nil, fmt.Errorf("the hooks in the settings cannot be read: %w", err)
		}
	}
	if hooks == nil {
		hooks = map[string][]json.RawMessage{}
	}
	for _, event := range events {
		hooks[event] = append(hooks[event], ours)
	}
	raw, err := json.Marshal(hooks)
	if err != nil {
		return nil, err
	}
	all["hooks"] = raw
	return json.Marshal(all)
}

// maxUserFile bounds, in bytes, the user's own files that we read.
const maxUserFile = 1 << 20

// ReadUserFile reads a file of the user's. It refuses a pipe: opening one would block,
// and reading it would take its data from the agent.
func ReadUserFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxUserFile+1))
	if err == nil && len(data) > maxUserFile {
		err = fmt.Errorf("%s is too long", path)
	}
	return data, err
}
