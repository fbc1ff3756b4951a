package call

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// Servers calls the tools of MCP servers.
type Servers interface {
	// Call returns when the tool has answered, or soon after ctx has ended. It then calls the
	// call's Listener no more.
	Call(ctx context.Context, c client.Call) (*client.Result, error)
}

// runMCP calls the tool of an MCP server. What the server asks meanwhile is asked in the
// call's task.
func (p *Pipeline) runMCP(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Servers == nil {
		return unavailable(inv, "there are no MCP servers here")
	}
	owner := p.newOwner(inv)
	defer owner.Close()
	b := inv.tool.Bridge.MCP
	c := client.Call{
		Server: b.Server, Tool: b.Tool, Arguments: json.RawMessage(inv.input.final), TraceParent: inv.request.TraceParent,
		Listener: &serverWords{server: b.Server, owner: owner},
	}
	if x := inv.tool.External; x != nil {
		c.Hash = x.Hash
	}
	r, err := p.opts.Servers.Call(ctx, c)
	e := &execution{out: p.listen(inv)}
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
	case errors.Is(err, client.ErrUnavailable), errors.Is(err, client.ErrChanged):
		return unavailable(inv, err.Error())
	case err != nil:
		e.failure = failed(err.Error())
	default:
		e.contents(inv, r)
	}
	return e
}

// contents takes what a server's tool answered: its structured content is the data, else its
// texts are, each a line of its own. Everything else becomes an artifact, and is the data, by
// name, if there is nothing else.
func (e *execution) contents(inv *Invocation, r *client.Result) {
	var others []contentNote
	for i := range r.Content {
		c := &r.Content[i]
		if c.Kind == client.ContentText {
			if e.out.total > 0 {
				inv.stream(e.out.write([]byte("\n")))
			}
			inv.stream(e.out.write([]byte(c.Text)))
			continue
		}
		id := "content-" + strconv.Itoa(len(others)+1)
		e.artifacts = append(e.artifacts, a2a.ArtifactUpdate{LastChunk: true, Artifact: contentArtifact(id, c)})
		others = append(others, contentNote{id, c.Kind, c.MediaType, c.URI, len(c.Data) + len(c.Text)})
	}
	switch {
	case r.IsError:
		if e.out.total == 0 {
			e.out.write(r.Structured)
		}
		words := strings.TrimSpace(text.Strip(escape.Strip(e.out.text())))
		e.failure = failed(orText(cutText(words, reasonLimit), "the tool says that it failed"))
	case r.Structured != nil:
		e.structured = r.Structured
	case e.out.total == 0 && len(others) > 0:
		e.structured, _ = json.Marshal(others) // strings and numbers always have a JSON form
	}
}

// contentNote says in the data of a result which artifact has a part of it.
type contentNote struct {
	ArtifactID string `json:"artifact_id"`
	Type       string `json:"type"`
	MediaType  string `json:"media_type,omitempty"`
	URI        string `json:"uri,omitempty"`
	Bytes      int    `json:"bytes,omitempty"`
}

// contentArtifact makes an artifact of content that is no plain text. The URI of a resource is
// in its part's metadata; nobody fetches it.
func contentArtifact(id string, c *client.Content) a2a.Artifact {
	p := a2a.Part{Kind: a2a.PartRaw, Raw: c.Data, MediaType: c.MediaType}
	switch {
	case c.Kind == client.ContentLink:
		p = a2a.Part{Kind: a2a.PartURL, URL: c.URI, MediaType: c.MediaType, Filename: c.Name}
	case c.Kind == client.ContentResource && c.Data == nil:
		p = a2a.TextPart(c.Text)
		p.MediaType = c.MediaType
	}
	if c.URI != "" && c.Kind == client.ContentResource {
		p.Metadata = a2a.Metadata{"uri": json.RawMessage(quote(c.URI))}
		if at := strings.LastIndexByte(c.URI, '/'); at >= 0 {
			p.Filename = cutText(c.URI[at+1:], nameLimit)
		}
	}
	return a2a.Artifact{ID: id, Name: orText(c.Name, id), Parts: []a2a.Part{p}}
}
