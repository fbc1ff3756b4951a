package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The revisions of the protocol. One that is not of this list is refused.
const (
	revisionStateless = "2026-07-28" // the first without a handshake
	revisionInitial   = "2025-11-25" // what the handshake offers
)

// probeLimit is how long a server may take to answer server/discover, which those of older
// revisions do not know: some of them answer nothing.
const probeLimit = 5 * time.Second

// capabilities are what this client can do, in every revision: answer questions of both kinds
// and requests for a model's answer. It has no roots.
func capabilities() map[string]any {
	none := map[string]any{}
	return map[string]any{"elicitation": map[string]any{"form": none, "url": none}, "sampling": none}
}

// handshake finds out which revision the server speaks, and what it is. With legacy, it is not
// asked for the newest one.
func (s *session) handshake(ctx context.Context, version string, legacy bool) error {
	me := map[string]any{"name": "sidecar", "version": version}
	if !legacy {
		found, err := s.discover(ctx, me)
		if found || err != nil {
			return err
		}
	}
	return s.initialize(ctx, me)
}

// meta is the part of requests that takes the handshake's place since 2026-07-28.
func meta(revision string, me map[string]any) map[string]any {
	return map[string]any{mcp.MetaKeyProtocolVersion: revision, mcp.MetaKeyClientInfo: me, mcp.MetaKeyClientCapabilities: capabilities()}
}

// capable is what a server can do.
type capable struct {
	Tools *struct {
		ListChanged bool `json:"listChanged"`
	} `json:"tools"`
}

// introduction is what a server says of itself.
type introduction struct {
	ProtocolVersion   string                     `json:"protocolVersion"`
	SupportedVersions []string                   `json:"supportedVersions"`
	Capabilities      capable                    `json:"capabilities"`
	ServerInfo        json.RawMessage            `json:"serverInfo"`
	Instructions      json.RawMessage            `json:"instructions"`
	Meta              map[string]json.RawMessage `json:"_meta"`
}

// discover asks by the newest revision. It reports whether the server speaks it; an error is
// the connection's.
func (s *session) discover(ctx context.Context, me map[string]any) (bool, error) {
	probe, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	raw, err := s.request(probe, &outgoing{method: "server/discover", params: map[string]any{"_meta": meta(revisionStateless, me)}})
	if errors.Is(err, ErrLost) && s.reason() != nil || ctx.Err() != nil {
		return false, err
	}
	if err != nil {
		return false, nil
	}
	var in introduction
	if json.Unmarshal(raw, &in) != nil || !slices.Contains(in.SupportedVersions, revisionStateless) {
		return false, nil
	}
	s.info = in.peer(revisionStateless, in.Meta[mcp.MetaKeyServerInfo])
	s.info.me = me
	return true, nil
}

// initialize is the handshake of the older revisions.
func (s *session) initialize(ctx context.Context, me map[string]any) error {
	raw, err := s.request(ctx, &outgoing{method: "initialize", params: map[string]any{
		"protocolVersion": revisionInitial, "clientInfo": me, "capabilities": capabilities(),
	}})
	if err != nil {
		return fmt.Errorf("initialize: %w", protocolError(err))
	}
	var in introduction
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("initialize: %w: %s", ErrProtocol, words(err))
	}
	if !slices.Contains(mcp.SupportedProtocolVersions(), in.ProtocolVersion) || in.ProtocolVersion >= revisionStateless {
		return fmt.Errorf("initialize: %w: the server speaks revision %s, which is not known here", ErrProtocol, text.Quote(in.ProtocolVersion, maxVersion))
	}
	s.info = in.peer(in.ProtocolVersion, in.ServerInfo)
	if w, ok := s.conn.(*web); ok {
		w.bounds.revision.Store(s.info.revision)
	}
	select {
	case err = <-s.notify("notifications/initialized", map[string]any{}):
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return err
}

// peer reads what does not have to be right.
func (in *introduction) peer(revision string, info json.RawMessage) peer {
	var who struct{ Name, Version string }
	var instructions string
	_ = json.Unmarshal(info, &who)
	_ = json.Unmarshal(in.Instructions, &instructions)
	p := peer{
		revision: revision, name: text.Line(who.Name, maxVersion), version: text.Line(who.Version, maxVersion),
		instructions: text.Shorten(text.Strip(instructions), maxInstructions),
	}
	if t := in.Capabilities.Tools; t != nil {
		p.tools, p.announcesTools = true, t.ListChanged
	}
	return p
}

// params returns a request's parameters, with what its revision adds.
func (p *peer) params(o *outgoing) (json.RawMessage, error) {
	params := maps.Clone(o.params)
	extra := map[string]any{}
	if p.me != nil {
		maps.Copy(extra, meta(p.revision, p.me))
	}
	if o.call != nil {
		if o.call.listener != nil {
			extra["progressToken"] = o.id
		}
		if o.call.trace != "" {
			extra["traceparent"] = o.call.trace
		}
	}
	if given, ok := params["_meta"].(map[string]any); ok {
		maps.Copy(extra, given)
	}
	if len(extra) > 0 {
		params["_meta"] = extra
	}
	return text.JSON(params)
}

// protocolError makes ErrProtocol of an answer that is an error.
func protocolError(err error) error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return fmt.Errorf("%w: error %d: %s", ErrProtocol, e.Code, text.Shorten(text.Line(e.Message, 0), maxWords))
	}
	return err
}
