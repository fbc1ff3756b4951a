package config

import "errors"

// errGovern marks a fault between --govern and another setting.
var errGovern = errors.New("--govern")

// governFault is one of them.
type governFault string

func (f governFault) Error() string { return string(f) }

// Is makes it an errGovern.
func (f governFault) Is(target error) bool { return target == errGovern }

// checkGovern refuses what would undo --govern, and under strict what nobody could hold.
func (c *Config) checkGovern() error {
	strict := c.Govern == GovernStrict
	switch {
	case c.Govern == GovernOff || c.Govern == "":
		return nil
	case c.GiveTools != GiveOn:
		return governFault("--govern leaves the agent no tools but the sidecar's, and --give-tools=" + c.GiveTools + " may leave it none; leave --give-tools out")
	case strict && c.AllowAgentCommands:
		return governFault("--govern=strict: --allow-agent-commands lets messages run the agent's own commands; leave it out")
	case strict && c.NoHooks:
		return governFault("--govern=strict: without the agent's hooks (--no-hooks) nothing shows what it does by itself; leave --no-hooks out")
	}
	return nil
}
