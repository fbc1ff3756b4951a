package sidecar

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
)

// outputsPath is where the outputs of tools are served that were too long for their
// envelopes; the task's id follows it.
const outputsPath = "/a2a/outputs/"

// openOutputs makes the place for outputs that are too long for their envelopes, if there
// can be one outside of what tools may write. Without any place they are cut all the same,
// and the rest is lost. What a sidecar left that was killed is removed first: that takes a look
// at large directories, so it is done when the card is served already.
func (s *sidecar) openOutputs(context.Context) error {
	outside, inside := s.outputPlaces()
	if s.Config.Sandbox == config.SandboxRequired {
		inside = nil
	}
	var faults []error
	for n, base := range slices.Concat(outside, inside) {
		scratch, err := channel.NewScratch(base, false)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		store, err := output.NewStore(output.Options{Dir: scratch.Path(), Limit: s.Config.OutputBytes, Total: s.Config.OutputsTotal, Log: s.Log})
		if err != nil {
			scratch.Remove()
			return err
		}
		s.outputs.Store(store)
		s.outputDir = scratch
		if n >= len(outside) {
			s.Log.Warn("outputs that are too long for their envelopes are kept where tools may write; set TMPDIR to a directory outside of the workspace", "dir", scratch.Path())
		}
		return nil
	}
	s.Log.Warn("there is no place for outputs that are too long for their envelopes: the rest of them is lost; set TMPDIR to a directory that can be written, outside of the workspace",
		"error", errors.Join(faults...))
	return nil
}

// forgetOutputs removes what is kept of tasks that are gone.
func (s *sidecar) forgetOutputs(ids ...string) { s.outputs.Load().Forget(ids...) }

// outputPlaces returns the directories to try, in order, those outside of what tools may
// write and those inside. Disks come before memory.
func (s *sidecar) outputPlaces() (outside, inside []string) {
	areas := s.areas()
	for _, dir := range []string{os.TempDir(), "/var/tmp", s.Config.RuntimeDir, os.Getenv("XDG_RUNTIME_DIR"), "/run", "/dev/shm"} {
		switch {
		case !filepath.IsAbs(dir):
		case areaOf(areas, dir) != nil:
			inside = append(inside, dir)
		default:
			outside = append(outside, dir)
		}
	}
	return outside, inside
}

func (s *sidecar) closeOutputs(context.Context) error {
	if s.outputDir == nil {
		return nil
	}
	err := s.outputs.Load().Close()
	s.outputDir.Remove()
	return err
}

// serveOutput answers GET /a2a/outputs/{id}: all of an output that was too long for its
// envelope, or the range of it that the request asks for. It is for the caller of the
// task alone; for others there is no such output. An agent's call belongs to the caller
// of its turn.
func (s *sidecar) serveOutput(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	task := strings.TrimPrefix(r.URL.Path, outputsPath)
	if _, err := s.tasks.Get(id.Caller, task); err != nil {
		return noOutput()
	}
	out, err := s.outputs.Load().Open(task)
	if err != nil {
		return noOutput()
	}
	defer out.Close()
	h := w.Header()
	h.Set("Content-Type", out.MediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Disposition", `attachment; filename="output-`+task+`"`)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", out.ETag)
	http.ServeContent(&validWriter{ResponseWriter: w, id: id}, r, "", out.Modified, out)
	return nil
}

func noOutput() error { return a2a.ErrTaskNotFound.With("%w", output.ErrNotFound) }

// validEvery is after how many bytes it is asked again whether the reader may read.
const validEvery = 1 << 20

// validWriter ends an answer when what the reader has shown is not valid any more.
type validWriter struct {
	http.ResponseWriter
	id    server.Identity
	since int
}

func (w *validWriter) Write(p []byte) (int, error) {
	if w.since += len(p); w.since > validEvery && w.id.Valid != nil {
		w.since = 0
		if !w.id.Valid() {
			return 0, a2a.ErrUnauthenticated
		}
	}
	return w.ResponseWriter.Write(p)
}
