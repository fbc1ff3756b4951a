package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
)

// AgentOption is a choice among what an agent offers: a mode, a model, or another option.
type AgentOption struct{ Key, Value string }

// The limits of --agent-option. Agents have a few options, with short names and values.
const (
	maxAgentOptions = 64
	maxAgentOption  = 4 << 10 // bytes of one KEY=VALUE
)

// agentOptions reads KEY=VALUE, several of them separated by commas.
func agentOptions(p *[]AgentOption) value {
	return field[[]AgentOption]{p, readAgentOptions, func(all []AgentOption) string {
		words := make([]string, len(all))
		for i, o := range all {
			words[i] = o.Key + "=" + o.Value
		}
		return strings.Join(words, ",")
	}}
}

func readAgentOptions(s string) ([]AgentOption, error) {
	var words []string
	if err := eachOf(&words, asOption).parse(s); err != nil {
		return nil, err
	}
	if len(words) > maxAgentOptions {
		return nil, fmt.Errorf("holds %d options; at most %d can be given", len(words), maxAgentOptions)
	}
	var all []AgentOption
	for _, word := range words {
		key, v, _ := strings.Cut(word, "=")
		if slices.ContainsFunc(all, func(o AgentOption) bool { return o.Key == key }) {
			return nil, fmt.Errorf("gives %q twice; give it once", key)
		}
		all = append(all, AgentOption{key, v})
	}
	return all, nil
}

// asOption checks one KEY=VALUE.
func asOption(s string) (string, error) {
	switch key, v, found := strings.Cut(s, "="); {
	case len(s) > maxAgentOption:
		return "", fmt.Errorf("holds an option of %d bytes; at most %d are possible", len(s), maxAgentOption)
	case !txt.Visible(s):
		return "", fmt.Errorf("%s holds a character that cannot be seen; leave it out", quote(s))
	case !found || key == "" || v == "":
		return "", fmt.Errorf("%s is not KEY=VALUE; write one such as mode=plan (sidecar status lists what the agent offers)", quote(s))
	}
	return s, nil
}

// Talks reports whether the agent is spoken to in messages of a protocol: what --agent-option
// chooses reaches it then.
func (c *Config) Talks() bool { return c.Mode == ModeACP || c.Mode == ModeStream }

var errAgentOption = errors.New("--agent-option needs --mode acp or --mode stream: in other modes nobody asks the agent which options it has; give it flags of its own, after the command")

func (c *Config) checkAgentOptions() error {
	if len(c.AgentOptions) > 0 && !c.Talks() {
		if c.ModeWhy != "" {
			return fmt.Errorf("%w (--mode auto is %s here: %s)", errAgentOption, c.Mode, c.ModeWhy)
		}
		return errAgentOption
	}
	return nil
}
