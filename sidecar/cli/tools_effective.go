package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// effectiveOptions are the flags of tools that ask for the effective set.
type effectiveOptions struct {
	effective, absent bool
}

func (o *effectiveOptions) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&o.effective, "effective", false, "the tools that you may call, of all tiers, and who grants them")
	c.Flags().BoolVar(&o.absent, "absent", false, "with --effective: those that you may not call, too, and why")
}

// run prints the effective set.
func (o *effectiveOptions) run(t *target, c *cobra.Command, asJSON bool) error {
	client, base, err := t.client()
	if err != nil {
		return err
	}
	doc, err := client.EffectiveTools(c.Context(), o.absent)
	if err != nil {
		return clientError(base, err)
	}
	var rows []surface.Row
	if err := json.Unmarshal(doc.Body, &rows); err != nil {
		return notASidecar(base, "no list of effective tools")
	}
	if asJSON {
		_, err = fmt.Fprintf(t.std.Out, "%s\n", doc.Body)
		return err
	}
	return printEffective(t.std.Out, rows)
}

// sections are the tiers as they are printed.
func sections() []struct{ tier, title string } {
	return []struct{ tier, title string }{
		{surface.ProvenancePlatform, "Platform"}, {surface.ProvenanceConnector, "Connectors"}, {surface.ProvenanceImage, "Image"}, {surface.ProvenanceExplicit, "Explicit"},
		{surface.ProvenanceCore, "The sidecar's own"},
	}
}

// printEffective prints a section for each tier, and in it a group for each provenance.
func printEffective(out *os.File, rows []surface.Row) error {
	widest := 0
	for i := range rows {
		widest = max(widest, width(rowIndent+rowName(&rows[i])))
	}
	w := tabwriter.NewWriter(out, 0, 4, columnGap, ' ', 0) // a line without a tab ends its columns
	for i, s := range sections() {
		if s.tier == surface.ProvenanceCore && !slices.ContainsFunc(rows, func(r surface.Row) bool { return r.Tier() == s.tier }) {
			continue // they are an offer that most do without
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, s.title)
		last, none := "", true
		for i := range rows {
			r := &rows[i]
			if r.Tier() != s.tier {
				continue
			}
			if head := headOf(r); head != last && head != s.tier {
				fmt.Fprintf(w, "  %s\n", printable(head))
				last = head
			}
			fmt.Fprintf(w, "%s%s\t%s\n", rowIndent, rowName(r), saidOf(r, out, widest))
			none = false
		}
		if none {
			fmt.Fprintln(w, rowIndent+"none")
		}
	}
	return w.Flush()
}

// rowName returns a tool's name, with the one that models see if it is another one.
func rowName(r *surface.Row) string {
	if shown := r.ExternalMappings[manifest.SourceCore]; r.Source == manifest.SourceCore && shown != "" {
		return printable(r.Name + " (" + shown + ")")
	}
	return printable(r.Name)
}

// headOf returns who grants a tool, and where.
func headOf(r *surface.Row) string {
	if r.InheritedFrom == "" {
		return r.Provenance
	}
	return r.Provenance + ", inherited from " + r.InheritedFrom
}

// saidOf returns why a tool is absent, if it is, and then the first line of what it does. On a
// terminal it fits beside names, but the reason is whole.
func saidOf(r *surface.Row, out *os.File, widest int) string {
	first, _, _ := strings.Cut(strings.TrimSpace(r.Description), "\n")
	if r.Absent == nil {
		return besideNames(out, widest, printable(first))
	}
	why := printable("[" + r.Absent.Reason + ": " + r.Absent.Text + "]")
	if first == "" {
		return why
	}
	return why + besideNames(out, widest+width(why), printable(" "+first))
}

// rowIndent is before the name of each tool.
const rowIndent = "    "
