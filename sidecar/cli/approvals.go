package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

const approvalsText = `List the calls of tools that wait for a yes which you may give: the tool, its
arguments, what it reads, writes, runs and reaches, the rule that asks, and why.
sidecar approve and sidecar deny answer; the agent's own processes may not.`

const approvalExits = `0  done
1  it is not there, was answered before, has changed or expired, or is not yours
2  the command line is wrong
4  no sidecar there`

// approvalsPath is where a sidecar lists approvals and takes answers.
const approvalsPath = "/a2a/approvals"

func newApprovals(std Std) *cobra.Command {
	t := &target{std: std}
	c := &cobra.Command{
		Use:         "approvals",
		Short:       "List the calls that wait for a yes",
		Long:        approvalsText,
		Example:     "sidecar approvals\nsidecar approvals -o json | jq -r '.approvals[].id'",
		Annotations: map[string]string{exitCodes: approvalExits},
		Args:        between(0, 0, ""),
	}
	t.addFlag(c)
	outputFlag(c, func(c *cobra.Command, _ []string, asJSON bool) error { return t.approvals(c.Context(), asJSON) })
	return c
}

func (t *target) approvals(ctx context.Context, asJSON bool) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := t.client()
	if err != nil {
		return err
	}
	doc, err := client.Document(ctx, approvalsPath)
	if err != nil {
		return clientError(base, err)
	}
	if asJSON {
		_, err := fmt.Fprintf(t.std.Out, "%s\n", doc.Body)
		return err
	}
	var list approval.List
	if err := json.Unmarshal(doc.Body, &list); err != nil {
		return clientError(base, err)
	}
	if len(list.Approvals) == 0 {
		_, err := fmt.Fprintln(t.std.Err, "nothing waits for a yes of yours")
		return err
	}
	for _, d := range list.Approvals {
		if err := t.showApproval(d); err != nil {
			return err
		}
	}
	return nil
}

// showApproval prints an approval with how to answer it.
func (t *target) showApproval(d *approval.Document) error {
	_, err := fmt.Fprintf(t.std.Out, "%s  until %s\n%s\n\n", printable(d.ID), d.Expires.Local().Format(time.TimeOnly), d.Text())
	return err
}

// answerOptions are the flags of approve and deny.
type answerOptions struct {
	target
	always         bool
	digest, reason string
}

func newApprove(std Std) *cobra.Command {
	o := &answerOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:   "approve ID",
		Short: "Let a call run that waits for a yes",
		Long: `Say yes to a call that sidecar approvals lists, and print what was allowed. The yes
is for this one call, with its arguments, its tool's definition and the policy as
they were shown; what has changed since is not allowed by it.`,
		Example:     "sidecar approve 4f5c…\nsidecar approve 4f5c… --always     not asked again for the same call in this session",
		Annotations: map[string]string{exitCodes: approvalExits},
		Args:        between(1, 1, "the approval's ID"),
		RunE: func(c *cobra.Command, args []string) error {
			option := approval.Once
			if o.always {
				option = approval.Always
			}
			return o.run(c.Context(), args[0], option)
		},
	}
	o.addFlags(c)
	c.Flags().BoolVar(&o.always, "always", false, "allow the same call again until the session ends")
	return c
}

func newDeny(std Std) *cobra.Command {
	o := &answerOptions{target: target{std: std}}
	c := &cobra.Command{
		Use:         "deny ID",
		Short:       "Refuse a call that waits for a yes",
		Long:        `Say no to a call that sidecar approvals lists. Its caller, and so the model, is told the reason.`,
		Example:     "sidecar deny 4f5c… --reason 'not on a Friday'",
		Annotations: map[string]string{exitCodes: approvalExits},
		Args:        between(1, 1, "the approval's ID"),
		RunE:        func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0], approval.Reject) },
	}
	o.addFlags(c)
	return c
}

func (o *answerOptions) addFlags(c *cobra.Command) {
	o.addFlag(c)
	c.Flags().StringVar(&o.digest, "digest", "", "`DIGEST` of what you have seen: anything else is not answered")
	c.Flags().StringVar(&o.reason, "reason", "", "`TEXT` for whoever made the call")
}

// run reads what waits, answers it, and prints both.
func (o *answerOptions) run(ctx context.Context, id string, option approval.Option) error {
	ctx, stop := untilInterrupt(ctx)
	defer stop()
	client, base, err := o.client()
	if err != nil {
		return err
	}
	d, err := readApproval(ctx, client, id)
	if err != nil {
		return clientError(base, err)
	}
	if err := o.showApproval(d); err != nil {
		return err
	}
	body, err := text.JSON(approval.Reply{Digest: cmp.Or(o.digest, d.Digest), Option: option, Reason: o.reason})
	if err != nil {
		return err
	}
	if _, err := client.Post(ctx, approvalPath(id), body); err != nil {
		return clientError(base, err)
	}
	_, err = fmt.Fprintf(o.std.Out, "answered: %s\n", option)
	return err
}

func readApproval(ctx context.Context, c *client.Client, id string) (*approval.Document, error) {
	doc, err := c.Document(ctx, approvalPath(id))
	if err != nil {
		return nil, err
	}
	d := new(approval.Document)
	return d, json.Unmarshal(doc.Body, d)
}

func approvalPath(id string) string { return approvalsPath + "/" + url.PathEscape(id) }
