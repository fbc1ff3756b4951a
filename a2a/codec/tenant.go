package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// There is one agent here, and no tenants (§4.4.6): a request that names one was
// meant for somebody else.

// CheckTenant refuses a tenant of that name; "" is none.
func CheckTenant(name string) error {
	if name == "" {
		return nil
	}
	return a2a.ErrInvalidParams.With("there is no tenant %.100q: this agent has none, leave tenant out", name).At("tenant")
}

// tenant refuses a member of that name unless it is empty, as an unset one prints.
func (n *node) tenant() error {
	var name string
	if err := n.str(&name); err != nil {
		return err
	}
	return CheckTenant(name)
}
