package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// UndoID is the ID of the tool that takes changes of files back. It is in no Set, so no model is offered it.
const UndoID = "undo"

// FileState is what is at a path, as far as it matters to a change: nothing, or a regular file.
type FileState struct {
	Absent bool        `json:"absent,omitempty"`
	SHA256 string      `json:"sha256,omitempty"` // of the content, in hex; "": not known
	Size   int64       `json:"size,omitempty"`   // in bytes
	Mode   fs.FileMode `json:"mode,omitempty"`   // the permissions
}

// Same reports whether nothing, or the same content, is known to be in both.
func (s FileState) Same(o FileState) bool {
	return s.Absent == o.Absent && (s.Absent || s.SHA256 != "" && s.SHA256 == o.SHA256)
}

// Hash returns a content's FileState.SHA256.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Undo says what taking changes back does to each file. Only the goroutine that runs the tool may use it.
type Undo interface {
	// Files are the files, in the order in which they are taken back.
	Files() []UndoFile
	// Step says what is done with a file that is as now says. It is not asked about what cannot be looked at.
	Step(path string, now FileState) (UndoStep, error)
	// Hold keeps what Step needs, which what is done by it may push out of its place otherwise, until release is called.
	Hold() (release func())
}

// UndoFile is a file, by its absolute path.
type UndoFile struct {
	Path    string
	Refused string // why it is left as it is, in words; "": Step says
}

// UndoStep is what is done with one file. The zero value writes an empty file.
type UndoStep struct {
	Refused string // why nothing is done, in words; "": it can be done
	Same    bool   // the file is as it was before the changes
	Remove  bool   // there was no file
	Content []byte
	Mode    fs.FileMode // the permissions that the file gets
}

// The results of UndoneFile.
const (
	UndoRestored  = "restored"  // it has the content that it had
	UndoMadeAgain = "recreated" // it was removed, and is there again
	UndoRemoved   = "removed"   // there was none before
	UndoSame      = "unchanged" // it already is as it was
	UndoRefused   = "refused"   // nothing was done
)

// UndoneFile is what became of one file.
type UndoneFile struct {
	Path   string `json:"path"`
	Result string `json:"result"`
	Why    string `json:"why,omitempty"` // of one that was refused
}

// Undone is the result of the tool. DryRun: nothing was done, and Files says what would have been.
type Undone struct {
	Files  []UndoneFile `json:"files"`
	DryRun bool         `json:"dryRun,omitempty"`
}

// undoneBytes is how long the result may be, in bytes: a thousand files, each with a path of the longest kind and a reason.
const undoneBytes = 8 << 20

// NewUndo returns the tool that takes changes back: Call.Undo says which, and the argument paths has the same files, for the
// rules. With dry it only looks.
func NewUndo(dry bool) *Tool {
	d := manifest.Definition{
		Name:        UndoID,
		Description: "Take back what tools of the sidecar's own have changed in files.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{
			"paths":{"type":"array","items":{"type":"string","minLength":1},"description":"the files"}},
			"required":["paths"],"additionalProperties":false}`),
		Effects: manifest.EffectsWrite, Kind: "edit", Timeout: fileTimeout, MaxOutput: undoneBytes,
		Requires: &manifest.Requires{FSRead: anywhere(), FSWrite: anywhere()},
		Uses:     manifest.Uses{FSRead: []string{"/paths"}, FSWrite: []string{"/paths"}},
	}
	if dry {
		d.Effects, d.Kind = manifest.EffectsRead, "read"
		d.Requires, d.Uses = &manifest.Requires{FSRead: anywhere()}, manifest.Uses{FSRead: []string{"/paths"}}
	}
	return define(d, func(ctx context.Context, c *Call) (*Result, error) { return runUndo(ctx, c, dry) })
}

func runUndo(ctx context.Context, c *Call, dry bool) (*Result, error) {
	if c.Undo == nil {
		return nil, errors.New("nothing says what is to be taken back")
	}
	done := Undone{Files: []UndoneFile{}, DryRun: dry}
	for _, f := range c.Undo.Files() {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		u := UndoneFile{Path: f.Path, Result: UndoRefused, Why: f.Refused}
		if u.Why == "" {
			result, err := undoFile(ctx, c, f.Path, dry)
			if u.Result = result; err != nil {
				u.Result, u.Why = UndoRefused, reasonOf(err)
			}
		}
		done.Files = append(done.Files, u)
	}
	data, err := text.JSON(done)
	if err != nil {
		return nil, err
	}
	return &Result{Data: data}, nil
}

// reasonOf returns an error without the path that it is about.
func reasonOf(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err
	}
	return err.Error()
}

// undoFile takes back what became of one file. The error says why not.
func undoFile(ctx context.Context, c *Call, path string, dry bool) (result string, err error) {
	if resolved, _, err := c.FS.Path(path); err != nil || resolved != path {
		return "", errors.Join(err, ErrLink)
	}
	now, info, err := stateOf(ctx, c.FS, path)
	if err != nil {
		return "", err
	}
	step, err := c.Undo.Step(path, now)
	switch {
	case err != nil:
		return "", err
	case step.Refused != "":
		return "", errors.New(step.Refused)
	case step.Same:
		return UndoSame, nil
	case step.Remove && dry:
		return UndoRemoved, nil
	case step.Remove:
		return UndoRemoved, c.FS.Remove(path, info)
	}
	result = UndoRestored
	if now.Absent {
		result = UndoMadeAgain
	}
	if dry {
		return result, nil
	}
	return result, c.FS.Restore(path, step.Content, step.Mode, info)
}

// stateOf returns what is at a path now. What is there and is no regular file is an error.
func stateOf(ctx context.Context, all FS, path string) (FileState, fs.FileInfo, error) {
	f, err := all.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return FileState{Absent: true}, nil, nil
	}
	if err != nil {
		return FileState{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return FileState{}, nil, err
	}
	hash, buf := sha256.New(), make([]byte, hashedAtOnce)
	var size int64
	for {
		if ctx.Err() != nil {
			return FileState{}, nil, context.Cause(ctx)
		}
		n, err := f.Read(buf)
		size += int64(n)
		hash.Write(buf[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return FileState{}, nil, err
		}
	}
	return FileState{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: size, Mode: info.Mode().Perm()}, info, nil
}

// hashedAtOnce is how many bytes are read between two looks at whether the call has been stopped.
const hashedAtOnce = 256 << 10
