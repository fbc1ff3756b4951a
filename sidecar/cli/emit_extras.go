package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// extraFlags are the flags for what any message may carry in addition to its content.
type extraFlags struct {
	metadata   string
	extensions []string
}

func (e *extraFlags) add(c *cobra.Command, of string) {
	c.Flags().StringVar(&e.metadata, "metadata", "", "`JSON` object, the metadata of "+of)
	c.Flags().StringArrayVar(&e.extensions, "extension", nil, "`URI` of an extension that "+of+" uses; repeatable")
}

// read checks and returns what was given.
func (e *extraFlags) read(c *cobra.Command) (a2a.Metadata, []string, error) {
	m, err := metadataFlag(c, "metadata", e.metadata)
	if err != nil {
		return nil, nil, err
	}
	for _, uri := range e.extensions {
		if !a2a.ValidExtensionURI(uri) {
			return nil, nil, usagef(c.CommandPath(), "--extension %q is no absolute URI", uri)
		}
	}
	return m, e.extensions, nil
}

// metadataFlag returns the object in a flag, nil if it was not given.
func metadataFlag(c *cobra.Command, name, s string) (m a2a.Metadata, err error) {
	if !c.Flags().Changed(name) {
		return nil, nil
	}
	if json.Unmarshal([]byte(s), &m) != nil || m == nil {
		return nil, usagef(c.CommandPath(), `--%s is not a JSON object such as '{"key":"value"}'`, name)
	}
	return m, nil
}

// partFlags are the flags for a data part next to a text, and for that part's
// metadata.
type partFlags struct {
	data      string
	mediaType string
	metadata  string
}

func (p *partFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.data, "data", "", "`JSON` added as a data part")
	c.Flags().StringVar(&p.mediaType, "media-type", "", "`TYPE` of that part")
	c.Flags().StringVar(&p.metadata, "part-metadata", "", "`JSON` object, the metadata of that part")
}

// read makes the part. Without --data there is none.
func (p *partFlags) read(c *cobra.Command) ([]a2a.Part, error) {
	if !c.Flags().Changed("data") {
		for _, name := range []string{"media-type", "part-metadata"} {
			if c.Flags().Changed(name) {
				return nil, usagef(c.CommandPath(), "--%s goes with --data", name)
			}
		}
		return nil, nil
	}
	if !json.Valid([]byte(p.data)) {
		return nil, usagef(c.CommandPath(), "--data is not JSON")
	}
	m, err := metadataFlag(c, "part-metadata", p.metadata)
	if err != nil {
		return nil, err
	}
	return []a2a.Part{{Kind: a2a.PartData, Data: json.RawMessage(p.data), MediaType: p.mediaType, Metadata: m}}, nil
}
