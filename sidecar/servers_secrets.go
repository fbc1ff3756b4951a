package sidecar

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// secrets returns what a server is given and its tools must not say: the values of the variables
// whose names say that they are secret, and the words of its headers ("Bearer" and a token are
// two).
func (v *servers) secrets(server string) (all []output.Value) {
	if v == nil {
		return nil
	}
	for _, one := range v.file.Servers() {
		if one.Slug != server {
			continue
		}
		for _, entry := range one.Env {
			if name, value, _ := strings.Cut(entry, "="); call.NamesSecret(name) {
				all = append(all, output.Value{Name: name, Secret: strings.TrimSpace(value)})
			}
		}
		for name, values := range one.Header {
			for _, word := range strings.Fields(strings.Join(values, " ")) {
				all = append(all, output.Value{Name: name, Secret: word})
			}
		}
	}
	return all
}
