package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// ReadFile implements peer.Host.
func (n *native) ReadFile(ctx context.Context, path string, line, limit int) (string, error) {
	input, err := json.Marshal(struct {
		Path  string `json:"path"`
		Line  int    `json:"line,omitempty"`
		Limit int    `json:"limit,omitempty"`
	}{path, line, limit})
	if err != nil {
		return "", err
	}
	inv, err := n.host(ctx, peer.Action{Kind: peer.Read, Title: "read " + path, Input: input, Reads: []string{path}}, n.grantedFile)
	if err != nil {
		return "", err
	}
	content, err := n.read(inv)
	n.ended(inv, did(err))
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", text.Quote(path, shownTitle), err)
	}
	return linesOf(content, line, limit), nil
}

// WriteFile implements peer.Host.
func (n *native) WriteFile(ctx context.Context, path, content string) error {
	if err := fits(int64(len(content))); err != nil {
		return fmt.Errorf("%s cannot be written: %w", text.Quote(path, shownTitle), err)
	}
	if !text.IsText([]byte(content)) {
		return fmt.Errorf("%s cannot be written: %w", text.Quote(path, shownTitle), errNoText)
	}
	input, err := json.Marshal(struct {
		Path  string `json:"path"`
		Bytes int    `json:"bytes"`
	}{path, len(content)})
	if err != nil {
		return err
	}
	a := peer.Action{
		Kind: peer.Edit, Title: "write " + path, Input: input, Writes: []string{path}, Diffs: []peer.Diff{{Path: path, New: content}},
	}
	inv, err := n.host(ctx, a, n.grantedFile)
	if err != nil {
		return err
	}
	err = n.write(inv, content)
	n.ended(inv, did(err))
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", text.Quote(path, shownTitle), err)
	}
	return nil
}

// refusedError is the error of what the rules, or a person, do not let the agent have us do.
type refusedError struct{ reason string }

func (e *refusedError) Error() string { return e.reason }

// host judges what the agent has us do. After nil, ended must follow.
func (n *native) host(ctx context.Context, a peer.Action, granted func(dir string, uses []policy.Use) bool) (*Invocation, error) {
	inv, err := n.invocation(a)
	if err != nil {
		return nil, &refusedError{err.Error()}
	}
	inv.own.ours, inv.own.granted, inv.own.reads = true, granted, a.Kind == peer.Read
	r, err := n.judge(ctx, inv)
	switch {
	case err != nil:
		return nil, err
	case r != nil:
		return nil, &refusedError{r.text}
	}
	return inv, nil
}

// within refuses what we would do for the agent outside of the task's directories, before anybody is asked.
func (n *native) within(_ context.Context, inv *Invocation) *result {
	if !inv.own.ours {
		return nil
	}
	roots := inv.input.scope.Below()
	outside := func(path string) bool {
		return !slices.ContainsFunc(roots, func(root string) bool { return below.Is(path, root) })
	}
	if inv.own.own.Argv != nil && outside(inv.own.dir) {
		return ended(Denied, "its directory cannot be used: "+errOutside.Error())
	}
	for _, u := range inv.input.uses {
		switch {
		case u.Capability != policy.FSRead && u.Capability != policy.FSWrite:
		case u.Doubt != "":
			return ended(Denied, "it names "+u.Doubt)
		case outside(u.Value):
			return ended(Denied, text.Quote(u.Value, shownTitle)+" cannot be used: "+errOutside.Error())
		}
	}
	return nil
}

// did returns how something ended that we did for the agent.
func did(err error) *result {
	if err != nil {
		return failed(err.Error())
	}
	return &result{outcome: Outcome{Case: Final}}
}

// ended records the end of what we did for the agent.
func (n *native) ended(inv *Invocation, r *result) {
	r.text = n.p.clean(inv, r.text)
	n.p.recordEnd(inv, r, inv.duration(time.Now()))
}

// errOutside says that the agent wants something of us that is not in the directories of its task.
var errOutside = errors.New("it is outside of the directories of the task")

var errNoText = errors.New("it is not text in UTF-8")

// fits returns an error for a file of that many bytes that is too long.
func fits(size int64) error {
	if size > peer.MaxFile {
		return fmt.Errorf("it has %d bytes, and %s is the most", size, text.FormatSize(peer.MaxFile))
	}
	return nil
}

// files runs work with the one file that was judged, on a thread of its own. Errors are without the file's
// path, which the caller names.
func (n *native) files(inv *Invocation, work func(f tool.FS, path string) error) error {
	use := inv.input.uses[0]
	if use.Doubt != "" {
		return errors.New(use.Doubt)
	}
	o := files.Options{Roots: inv.input.scope.Below(), Keeper: n.p.opts.Sandbox, User: n.p.opts.User}
	if use.Capability == policy.FSWrite {
		o.Writes = []string{use.Value}
	} else {
		o.Reads = []string{use.Value}
	}
	all, err := files.New(o)
	if err != nil {
		return err
	}
	defer all.Close()
	var fault error
	if err := all.Run(func(f tool.FS) { fault = work(f, use.Value) }); err != nil {
		return err
	}
	if of, ok := errors.AsType[*fs.PathError](fault); ok {
		return of.Err
	}
	return fault
}

// read returns the content of the file that was judged.
func (n *native) read(inv *Invocation) (content string, err error) {
	err = n.files(inv, func(f tool.FS, path string) error {
		content, err = readText(f, path)
		return err
	})
	return content, err
}

// readText reads a text file of at most peer.MaxFile bytes.
func readText(from tool.FS, path string) (string, error) {
	f, err := from.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := fits(info.Size()); err != nil {
		return "", err
	}
	content, err := io.ReadAll(io.LimitReader(f, peer.MaxFile+1))
	if err == nil {
		err = fits(int64(len(content))) // it has grown
	}
	if err == nil && !text.IsText(content) {
		err = errNoText
	}
	return text.Shared(content), err
}

// write replaces the file that was judged, or makes it.
func (n *native) write(inv *Invocation, content string) error {
	return n.files(inv, func(f tool.FS, path string) error {
		old, err := f.Stat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return f.Replace(path, []byte(content), old)
	})
}

// linesOf returns limit lines from line on, which counts from 1; 0 is all of them.
func linesOf(content string, line, limit int) string {
	for ; line > 1 && content != ""; line-- {
		_, content, _ = strings.Cut(content, "\n")
	}
	if limit <= 0 {
		return content
	}
	end := 0
	for ; limit > 0 && end < len(content); limit-- {
		next := strings.IndexByte(content[end:], '\n')
		if next < 0 {
			return content
		}
		end += next + 1
	}
	return content[:end]
}
