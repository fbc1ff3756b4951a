package skill

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// ParseTools reads the tools.json of a skill: a manifest whose tools run programs or ask HTTP APIs. A program is
// named by its absolute path or found in PATH: a path in the workspace could be written by those who call it. file is
// for messages.
func ParseTools(file string, data []byte, o manifest.Options) (tools []*manifest.Tool, warnings, faults jsontree.Faults) {
	if len(data) > maxTools {
		return nil, nil, jsontree.Faults{{File: file, Message: "the file is larger than " + text.FormatSize(maxTools), Hint: "a skill brings few tools: others belong into the manifest"}}
	}
	o.Registry = nil
	snap, warnings, err := manifest.Parse(file, data, o)
	if err != nil {
		if !errors.As(err, &faults) {
			faults = jsontree.Faults{{File: file, Message: err.Error()}}
		}
		return nil, warnings, faults
	}
	tools = snap.Tools()
	src := string(data)
	root, _ := jsontree.Parse(src, 0)
	refuse := func(i int, pointer, message, hint string) {
		faults = append(faults, jsontree.Fault{Offset: root.Children[i].Closest(pointer).Offset, Pointer: jsontree.Item("", i) + pointer, Subject: tools[i].Name, Message: message, Hint: hint})
	}
	if len(tools) > maxToolCount {
		refuse(maxToolCount, "", "a skill has at most "+strconv.Itoa(maxToolCount)+" tools", "put the others into the manifest")
	}
	for i, t := range tools {
		switch b := t.Bridge; {
		case b.Kind != manifest.BridgeExec && b.Kind != manifest.BridgeHTTP:
			refuse(i, "/x-sidecar/bridge", "a tool of a skill runs a program or asks an HTTP API, and this one's bridge is "+string(b.Kind), `write "bridge": {"exec": …} or {"http": …}`)
		case b.Kind == manifest.BridgeExec && !isProgram(b.Exec.Command[0]):
			refuse(i, "/x-sidecar/bridge/exec/command", text.Quote(b.Exec.Command[0], maxName)+" is not the path of a program, and no program in PATH", "write the absolute path, or a name without a slash")
		}
	}
	if len(faults) > 0 {
		return nil, warnings, jsontree.Locate(file, src, faults)
	}
	return tools, warnings, nil
}

// isProgram reports whether the first word of a command says which program it is, wherever it is run.
func isProgram(s string) bool {
	return s != "" && !strings.ContainsAny(s, "{}") && (filepath.IsAbs(s) || !strings.Contains(s, "/"))
}
