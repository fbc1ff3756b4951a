package manifest

import (
	"encoding/json"
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// requiresDocument is Requires as a manifest has it.
type requiresDocument struct {
	FS struct {
		Read  []string `json:"read,omitempty"`
		Write []string `json:"write,omitempty"`
	} `json:"fs,omitzero"`
	Net struct {
		Hosts []string `json:"hosts,omitempty"`
	} `json:"net,omitzero"`
	Shell        []ShellRun `json:"shell,omitempty"`
	Capabilities []string   `json:"capabilities,omitempty"`
}

// MarshalJSON returns the requirements as a manifest has them.
func (r Requires) MarshalJSON() ([]byte, error) {
	var d requiresDocument
	d.FS.Read, d.FS.Write, d.Net.Hosts = r.FSRead, r.FSWrite, r.NetHosts
	d.Shell, d.Capabilities = r.Shell, r.Capabilities
	return json.Marshal(d)
}

// UnmarshalJSON reads what MarshalJSON has written: in addition to what a manifest may say,
// that is the program of a tool, whose name may be a relative path.
func (r *Requires) UnmarshalJSON(data []byte) error {
	var d requiresDocument
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	*r = Requires{FSRead: d.FS.Read, FSWrite: d.FS.Write, NetHosts: d.Net.Hosts, Shell: d.Shell, Capabilities: d.Capabilities}
	return nil
}

// shellDocument is ShellRun as a manifest has it.
type shellDocument struct {
	Cmd  string       `json:"cmd"`
	Args []ArgPattern `json:"args,omitzero"` // [] means no arguments, and none means any
}

// MarshalJSON returns the command as a manifest has it.
func (s ShellRun) MarshalJSON() ([]byte, error) { return json.Marshal(shellDocument(s)) }

// UnmarshalJSON reads what MarshalJSON has written.
func (s *ShellRun) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, (*shellDocument)(s))
}

// patternDocument is an ArgPattern that is not a string.
type patternDocument struct {
	Prefix   *string `json:"prefix,omitempty"`
	Wildcard bool    `json:"wildcard,omitempty"`
}

// MarshalJSON returns the pattern as a manifest has it.
func (a ArgPattern) MarshalJSON() ([]byte, error) {
	switch a.Match {
	case ArgAny:
		return json.Marshal(patternDocument{Wildcard: true})
	case ArgPrefix:
		return json.Marshal(patternDocument{Prefix: &a.Text})
	}
	return json.Marshal(a.Text)
}

// UnmarshalJSON reads what MarshalJSON has written.
func (a *ArgPattern) UnmarshalJSON(data []byte) error {
	*a = ArgPattern{}
	if data[0] == '"' {
		return json.Unmarshal(data, &a.Text)
	}
	var d patternDocument
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	switch {
	case d.Prefix != nil:
		a.Match, a.Text = ArgPrefix, *d.Prefix
	case d.Wildcard:
		a.Match = ArgAny
	default:
		return fmt.Errorf("an argument's pattern is neither a prefix nor a wildcard: %s", text.Shorten(string(data), quoteMax))
	}
	return nil
}
