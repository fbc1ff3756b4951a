package server

import "strings"

// noSuchPath is the error of a path that has no endpoint.
func noSuchPath(path string) error {
	if tenant := tenantOf(path); tenant != "" {
		return errNoSuchPath.With("there is no tenant %.100q: this agent has none, leave it out of the path", tenant)
	}
	return errNoSuchPath.With("there is nothing at %.200q", path)
}

// tenantOf is the first segment of a path that would be REST's without it, "" for
// none (§11.3: /{tenant}/…).
func tenantOf(path string) string {
	tenant, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case !ok:
	case rest == "message:send", rest == "message:stream", rest == "tasks", rest == "extendedAgentCard", strings.HasPrefix(rest, "tasks/"):
		return tenant
	}
	return ""
}
