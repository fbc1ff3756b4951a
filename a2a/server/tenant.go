package server

import "strings"

// noSuchPath returns the error for a path that has no endpoint.
func noSuchPath(path string) error {
	if tenant := tenantOf(path); tenant != "" {
		return errNoSuchPath.With("there is no tenant %.100q: this agent has none, leave it out of the path", tenant)
	}
	return errNoSuchPath.With("there is nothing at %.200q", path)
}

// tenantOf returns the first segment of a path that would be a REST path without it, "" for
// any other path (§11.3: /{tenant}/…).
func tenantOf(path string) string {
	tenant, rest, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case !ok, tenant == strings.TrimPrefix(restRoot, "/"): // a path of 0.3
	case rest == "message:send", rest == "message:stream", rest == "tasks", rest == "extendedAgentCard", strings.HasPrefix(rest, "tasks/"):
		return tenant
	}
	return ""
}
