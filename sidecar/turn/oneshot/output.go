package oneshot

import (
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// decoder reads the structured output of a known agent, passes its text on and
// keeps what it said at the end. It is used by one goroutine.
type decoder struct {
	split  splitter
	output *spec.Output
	read   func(event []byte) // nil until the dialect is known
}

// newDecoder returns a decoder for output in that format. If no dialect is known, the first
// event selects it.
func newDecoder(format string, dialect *spec.Dialect, out driver.Out) *decoder {
	d := &decoder{output: spec.NewOutput(out.Write)}
	d.split = splitter{lines: format == config.FormatStreamJSON, each: d.event}
	d.speak(dialect)
	return d
}

func (d *decoder) write(chunk []byte) { d.split.write(chunk) }

// end reads what is left and returns what the agent said at the end.
func (d *decoder) end() spec.Ending {
	d.split.end()
	said := d.output.Ending
	if said.Final || said.Reason != "" {
		return said
	}
	said.Reason = "the agent's output ended without a final event"
	if d.split.dropped > 0 {
		said.Reason += ", or with one that is longer than can be read"
	}
	return said
}

// event reads one document.
func (d *decoder) event(doc []byte) {
	if d.read == nil {
		d.speak(agent.Recognize(doc))
	}
	if d.read != nil {
		d.read(doc)
	}
}

// speak reads what follows in that dialect; nil means that the dialect is not
// known.
func (d *decoder) speak(dialect *spec.Dialect) {
	if dialect != nil {
		d.read = dialect.Reader(d.output)
	}
}
