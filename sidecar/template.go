package sidecar

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// Card is the card that Run would serve, without addresses: `run --print-card`
// shows it. It reads the card file and the manifest.
func Card(c *config.Config, version string) (*a2a.Card, error) {
	tmpl, err := cardTemplate(c, version)
	if err != nil {
		return nil, err
	}
	source, err := manifest.Open(c.Manifest, manifest.Options{Reserved: c.ReservedNamespace, Lenient: c.ManifestLenient})
	if err != nil {
		return nil, err
	}
	return newCards(tmpl, source).current(), nil
}

// cardTemplate makes the card from what is known, and lays the card file over
// it. It has no tools' skills yet, and no addresses.
func cardTemplate(c *config.Config, version string) (a2a.Card, error) {
	name := c.Name
	if name == "" && len(c.Command) > 0 {
		name = filepath.Base(c.Command[0])
	}
	card := a2a.Card{
		Name:        name,
		Description: fmt.Sprintf("The command-line agent %s, served by sidecar.", name),
		Version:     version,
		InputModes:  []string{"text/plain", "application/json"},
		OutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.Skill{{
			ID: "chat", Name: name, Description: "Takes a message and answers it.", Tags: []string{"agent", c.Mode},
		}},
		Extensions: []a2a.Extension{{
			URI:         toolCallURI,
			Description: `Calls a tool: a message whose one part is data {"toolCall":{"id"?,"name","arguments"}}.`,
		}},
		Streaming:     true,
		Push:          pushes(c),
		Extended:      c.Authenticates(),
		Security:      a2a.Security{Bearer: c.TokenFile != "", MutualTLS: c.TLSClientCA != ""},
		BridgeVersion: version,
	}
	if c.Card == "" {
		return card, nil
	}
	file, err := os.ReadFile(c.Card)
	if err != nil {
		return card, fmt.Errorf("card file: %w", err)
	}
	if err := card.Overlay(file); err != nil {
		return card, fmt.Errorf("card file %s: %w", c.Card, err)
	}
	return card, nil
}
