package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// notFound is ACP's code for a file that is not there.
const notFound = -32002

// serve answers a request of the agent's that uses this machine.
type serve func(t *turn, ctx context.Context, in fields) (any, error)

// machine lists the requests that use this machine.
func machine() map[string]serve {
	return map[string]serve{
		sdk.ClientMethodFsReadTextFile:      (*turn).readFile,
		sdk.ClientMethodFsWriteTextFile:     (*turn).writeFile,
		sdk.ClientMethodTerminalCreate:      (*turn).createTerminal,
		sdk.ClientMethodTerminalOutput:      (*turn).terminalOutput,
		sdk.ClientMethodTerminalWaitForExit: (*turn).waitForExit,
		sdk.ClientMethodTerminalKill:        (*turn).killTerminal,
		sdk.ClientMethodTerminalRelease:     (*turn).releaseTerminal,
	}
}

func (t *turn) readFile(ctx context.Context, in fields) (any, error) {
	path, err := pathOf(in)
	if err != nil {
		return nil, err
	}
	line, _ := in.count("line")
	limit, limited := in.count("limit")
	if limited && limit == 0 {
		return sdk.ReadTextFileResponse{}, nil
	}
	content, err := t.on.Host().ReadFile(ctx, path, int(line), int(limit))
	if err != nil {
		return nil, fault(err)
	}
	return sdk.ReadTextFileResponse{Content: content}, nil
}

func (t *turn) writeFile(ctx context.Context, in fields) (any, error) {
	path, err := pathOf(in)
	if err != nil {
		return nil, err
	}
	var content *string
	if json.Unmarshal(in["content"], &content) != nil || content == nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "content must be a text")
	}
	if err := t.on.Host().WriteFile(ctx, path, *content); err != nil {
		return nil, fault(err)
	}
	return sdk.WriteTextFileResponse{}, nil
}

// pathOf returns the path of a request, which ACP wants to be absolute.
func pathOf(in fields) (string, error) {
	path := in.text("path")
	if !filepath.IsAbs(path) {
		return "", rpc.Errorf(rpc.InvalidParams, "path must be absolute, and is %s", text.Quote(path, maxName))
	}
	return path, nil
}

// fault returns an error of the host as an agent gets it.
func fault(err error) *rpc.Error {
	if errors.Is(err, fs.ErrNotExist) {
		return rpc.Errorf(notFound, "Resource not found: %v", err) // by ACP's words for it, which some agents look for
	}
	return rpc.Errorf(rpc.Internal, "%v", err)
}
