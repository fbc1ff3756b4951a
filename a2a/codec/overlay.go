package codec

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// OverlayCard lays a card file over c: a JSON object with any of name, description,
// version, provider, iconUrl, documentationUrl, defaultInputModes, defaultOutputModes,
// skills, capabilities, securitySchemes, security or securityRequirements, signatures and
// supportedInterfaces. The file takes precedence over c. A skill with the id of one of c's
// skills changes the members that it names; any other skill is added at the end. An
// extension replaces the one with the same URI, and a security scheme the one with the same
// name; others are added. Schemes and requirements are read in the forms of both versions.
// Interfaces are added to the server's own. Requirements replace the server's.
//
// The file is read strictly: unknown keys, wrong types, the server's own addresses and
// capabilities that are off are errors, which name the member. A file with an error does
// not change c.
func OverlayCard(c *a2a.Card, file []byte) error {
	root, err := parse(file, maxElements)
	if err != nil {
		return fmt.Errorf("card: %w", err)
	}
	laid := *c
	laid.Skills = slices.Clone(c.Skills)
	if err = root.mustMembers(func(key string, v *node) error { return v.cardMember(&laid, key) }); err == nil {
		err = checkRequirements(&laid)
	}
	if err != nil {
		return overlayError(err)
	}
	*c = laid
	return nil
}

// OverlayError says what is wrong with a card file, and where.
type OverlayError struct {
	// Pointer is the JSON pointer to the value (RFC 6901), "" for the whole file.
	Pointer string
	// Text says what is wrong and what would be right.
	Text string
	err  error
}

func (e *OverlayError) Error() string { return "card" + e.err.Error() }

func overlayError(err error) error {
	var wrong *shapeError
	switch {
	case !errors.As(err, &wrong):
		return fmt.Errorf("card: %w", err)
	case wrong.at == nil && wrong.path == "":
		return fmt.Errorf("card %w", wrong)
	}
	e := &OverlayError{Text: wrong.text, err: fmt.Errorf(": %w", wrong)}
	if wrong.path == "" {
		e.err = fmt.Errorf(" %w", wrong)
	}
	if wrong.at == nil {
		e.Pointer = "/" + wrong.path
		return e
	}
	e.Pointer = wrong.at.pointer()
	return e
}

// cardMember reads one member of a card file.
func (n *node) cardMember(c *a2a.Card, key string) error {
	switch key {
	case "name":
		return n.nonEmpty(&c.Name)
	case "description":
		return n.nonEmpty(&c.Description)
	case "version":
		return n.nonEmpty(&c.Version)
	case "provider":
		return n.provider(c)
	case "iconUrl":
		return n.str(&c.IconURL)
	case "documentationUrl":
		return n.str(&c.DocumentationURL)
	case "defaultInputModes":
		return n.stringList(&c.InputModes)
	case "defaultOutputModes":
		return n.stringList(&c.OutputModes)
	case "skills":
		return n.skills(c)
	case "capabilities":
		return n.capabilities(c)
	case "securitySchemes":
		return n.schemes(c)
	case "security", "securityRequirements":
		return n.requirements(c)
	case "signatures":
		return n.signatures(c)
	case "supportedInterfaces":
		return n.interfaces(c)
	case "url", "preferredTransport", "additionalInterfaces", "protocolVersion":
		return n.errorf("is the server's to fill in; remove it (--public-url sets the address, supportedInterfaces adds others)")
	case "supportsAuthenticatedExtendedCard":
		return n.errorf("is the server's to fill in; remove it")
	}
	return n.unknown()
}

// unknown returns the error for a member that does not exist.
func (n *node) unknown() error {
	return n.errorf("is no member of a card; remove it or check its spelling")
}

// nonEmpty reads a string that must not be empty.
func (n *node) nonEmpty(to *string) error {
	var s string
	if err := n.str(&s); err != nil {
		return err
	}
	if s == "" {
		return n.errorf("must not be empty")
	}
	*to = s
	return nil
}

// stringList reads a list of strings; null is an error.
func (n *node) stringList(to *[]string) error {
	if n.null() {
		return n.wrongType("a list of strings")
	}
	return n.strs(to)
}

func (n *node) provider(c *a2a.Card) error {
	var p a2a.Provider
	if c.Provider != nil {
		p = *c.Provider
	}
	err := n.mustMembers(func(key string, v *node) error {
		switch key {
		case "organization":
			return v.nonEmpty(&p.Organization)
		case "url":
			return v.nonEmpty(&p.URL)
		}
		return v.unknown()
	})
	switch {
	case err == nil && p.Organization == "":
		return n.errorf("organization is missing")
	case err == nil && p.URL == "":
		return n.errorf("url is missing")
	}
	c.Provider = &p
	return err
}

func (n *node) skills(c *a2a.Card) error {
	if n.null() {
		return n.wrongType("a list")
	}
	return n.list(func(v *node) error { return v.skill(c) })
}

// skill changes the skill with the same id, or adds a new one.
func (n *node) skill(c *a2a.Card) error {
	var id string
	if err := n.mustMembers(func(key string, v *node) error {
		if key == "id" {
			return v.nonEmpty(&id)
		}
		return nil
	}); err != nil {
		return err
	}
	if id == "" {
		return n.errorf("id is missing")
	}
	at := slices.IndexFunc(c.Skills, func(s a2a.Skill) bool { return s.ID == id })
	isNew := at < 0
	if isNew {
		at = len(c.Skills)
		c.Skills = append(c.Skills, a2a.Skill{ID: id})
	}
	s := &c.Skills[at]
	if err := n.each(exact, func(key string, v *node) error { return v.skillMember(s, key) }); err != nil {
		return err
	}
	switch {
	case s.Name == "":
		return n.errorf("name is missing: %q is a new skill", id)
	case s.Description == "":
		return n.errorf("description is missing: %q is a new skill", id)
	case isNew && len(s.Tags) == 0:
		return n.errorf("tags are missing: %q is a new skill", id)
	}
	return nil
}

func (n *node) skillMember(s *a2a.Skill, key string) error {
	switch key {
	case "id":
		return nil // read first
	case "name":
		return n.nonEmpty(&s.Name)
	case "description":
		return n.nonEmpty(&s.Description)
	case "tags":
		if err := n.stringList(&s.Tags); err != nil || len(s.Tags) > 0 {
			return err
		}
		return n.errorf("must have at least one") // §5.7
	case "examples":
		return n.stringList(&s.Examples)
	case "inputModes":
		return n.stringList(&s.InputModes)
	case "outputModes":
		return n.stringList(&s.OutputModes)
	}
	return n.unknown()
}

// capabilities lets a file claim fewer capabilities than the server has, never more.
func (n *node) capabilities(c *a2a.Card) error {
	return n.mustMembers(func(key string, v *node) error {
		on := false
		switch key {
		case "streaming":
			on = c.Streaming
		case "pushNotifications":
			on = c.Push
		case "extendedAgentCard":
			on = c.Extended
		case "stateTransitionHistory":
		case "extensions":
			return v.extensions(c)
		default:
			return v.unknown()
		}
		var claimed bool
		if err := v.boolean(&claimed); err != nil {
			return err
		}
		if claimed && !on {
			return v.errorf("is off here: a card cannot claim it; remove it")
		}
		switch key {
		case "streaming":
			c.Streaming = claimed
		case "pushNotifications":
			c.Push = claimed
		case "extendedAgentCard":
			c.Extended = claimed
		}
		return nil
	})
}
