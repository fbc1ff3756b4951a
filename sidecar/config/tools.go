package config

// Tools returns what run would know of its tools with this environment: the path of
// the manifest, "" for none, and the namespaces that it refuses. reserved holds the
// values of --reserved-namespace, which win. The error is of type Faults.
func Tools(reserved, environ []string) (path string, namespaces []string, err error) {
	flags := map[string][]string{}
	if len(reserved) > 0 {
		flags["reserved-namespace"] = reserved
	}
	l := newLoader(Sources{Flags: flags, Environ: environ})
	l.openFile()
	for _, name := range []string{"manifest", "reserved-namespace"} {
		l.decide(l.setting(name))
	}
	if len(l.faults) > 0 {
		return "", nil, l.faults
	}
	return l.Config.Manifest, l.Config.ReservedNamespace, nil
}

// Judging returns the settings that decide which tool calls may run, as run would have them
// with these flags and this environment: the tools, the directories and the rules. The error is
// of type Faults.
func Judging(flags map[string][]string, environ []string) (*Config, error) {
	l := newLoader(Sources{Flags: flags, Environ: environ})
	l.openFile()
	for _, name := range JudgingSettings() {
		l.decide(l.setting(name))
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return &l.Config, nil
}

// JudgingSettings lists the names of the settings of Judging.
func JudgingSettings() []string {
	return []string{"manifest", "reserved-namespace", "workspace", "root", "policy", "trust-project", "tools", "unprotect"}
}

// MCP returns the settings of the MCP servers and of what their programs may use, as run would have
// them with these flags and this environment. The error is of type Faults.
func MCP(flags map[string][]string, environ []string) (*Config, error) {
	l := newLoader(Sources{Flags: flags, Environ: environ})
	l.openFile()
	for _, name := range MCPSettings() {
		l.decide(l.setting(name))
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return &l.Config, nil
}

// MCPSettings lists the names of the settings of MCP.
func MCPSettings() []string {
	return []string{"mcp-config", "mcp-lock", "reserved-namespace", "workspace", "root", "sandbox", "user"}
}
