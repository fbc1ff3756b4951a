package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/skill"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Card returns the card that Run would serve, without addresses: `sidecar card` shows
// it. It reads the card file, the manifest and the skills.
func Card(c *config.Config, version string) (*a2a.Card, error) {
	source, err := manifest.Open(c.Manifest, manifest.Options{
		Reserved: c.ReservedNamespace, Lenient: c.ManifestLenient, Card: checkCardPart(c, version),
	})
	if err != nil {
		return nil, err
	}
	var set *skill.Set
	if ids, err := tool.Wanted(c.Tools); err == nil && slices.Contains(ids, tool.SkillID) {
		set = skill.Open(skill.Options{Roots: skillRoots(c)}).Current()
	}
	cards, err := newCards(c, version, source.Snapshot, func() *skill.Set { return set })
	if err != nil {
		return nil, err
	}
	return cards.current(), nil
}

// checkCardPart returns the check of a manifest's x-sidecar.card, which is judged as
// a card file is.
func checkCardPart(c *config.Config, version string) func(json.RawMessage) error {
	base := cardTemplate(c, version)
	return func(part json.RawMessage) error {
		card := base
		return codec.OverlayCard(&card, part)
	}
}

// CheckCardPart judges x-sidecar.card if it is not known which features will be on.
func CheckCardPart(part json.RawMessage) error {
	card := a2a.Card{
		Streaming: true, Push: true, Extended: true, Security: a2a.Security{Bearer: true, MutualTLS: true},
	}
	return codec.OverlayCard(&card, part)
}

// readCardFile reads and checks the file that --card names; it returns nil for none.
func readCardFile(c *config.Config, base a2a.Card) ([]byte, error) {
	if c.Card == "" {
		return nil, nil
	}
	file, err := os.ReadFile(c.Card)
	if err != nil {
		return nil, fmt.Errorf("card file: %w", err)
	}
	return file, layCard(&base, c.Card, file)
}

// cardTemplate makes the card from what is known. It has no skills of tools yet, and
// no addresses.
func cardTemplate(c *config.Config, version string) a2a.Card {
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
		}, {
			URI:         approval.URI,
			Description: `Asks whether a tool may run: a data part with this key, answered by one with {"id","digest","option","reason"?}.`,
		}, {
			URI:         approval.DevelopmentToolURI,
			Description: "Of gemini-cli's development-tool: confirmation_request and ToolCallConfirmation, for tool calls that wait for a yes.",
		}, {
			URI:         delegation.URI,
			Description: `Holds work to limits of the one who gives it: {"depth","maxDepth","deny"?,"budget"?,"parent"?} in the message's metadata, under this key.`,
		}},
		Streaming:     true,
		Push:          pushes(c),
		Extended:      c.Authenticates(),
		Security:      a2a.Security{Bearer: c.TokenFile != "", MutualTLS: c.TLSClientCA != ""},
		BridgeVersion: version,
	}
	if c.Talks() {
		card.Extensions = append(card.Extensions, a2a.Extension{
			URI:         driver.ThoughtURI,
			Description: `Tells what the agent's model thinks: {"text"} in the metadata of status updates, under this key.`,
		}, a2a.Extension{
			URI:         driver.PlanURI,
			Description: `Tells the agent's plan, whole, when it changes: {"entries":[{"content","priority"?,"status"?}]} in the metadata of status updates, under this key.`,
		})
	}
	return card
}

// layCard lays a card file over the card. An error has a line, a column and a JSON
// pointer wherever it has a place in the file.
func layCard(card *a2a.Card, path string, file []byte) error {
	root, faults := jsontree.ParseFile(path, file)
	if len(faults) > 0 {
		return faults
	}
	err := codec.OverlayCard(card, file)
	var wrong *codec.OverlayError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		at := root.Closest(wrong.Pointer)
		return jsontree.Locate(path, string(file), jsontree.Faults{{Offset: at.Offset, Pointer: wrong.Pointer, Message: wrong.Text}})
	}
	return fmt.Errorf("card file %s: %w", path, err)
}
