package a2a

import (
	"net/url"
	"strings"
)

// There is one agent here, and no tenants (§4.4.6): a request that names one was
// meant for somebody else.

func noTenant(name string) error {
	return ErrInvalidParams.With("there is no tenant %.100q: this agent has none, leave tenant out", name).At("tenant")
}

// tenant refuses a member of that name unless it is empty, as an unset one prints.
func (n *node) tenant() error {
	var name string
	if err := n.str(&name); err != nil || name == "" {
		return err
	}
	return noTenant(name)
}

// checkTenant refuses a query that names one.
func checkTenant(query url.Values) error {
	if name := query.Get("tenant"); name != "" {
		return noTenant(name)
	}
	return nil
}

// noSuchPath says what is wrong with a path that leads nowhere.
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
