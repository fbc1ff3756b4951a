package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// This server has one agent and no tenants (§4.4.6): a request that names a tenant was
// meant for another server.

// CheckTenant returns an error if a request names a tenant; "" means none.
func CheckTenant(name string) error {
	if name == "" {
		return nil
	}
	return a2a.ErrInvalidParams.With("there is no tenant %.100q: this agent has none, leave tenant out", name).At("tenant")
}

// tenant refuses a tenant member unless it is empty, which is how an unset one is written.
func (n *node) tenant() error {
	var name string
	if err := n.str(&name); err != nil {
		return err
	}
	return CheckTenant(name)
}
