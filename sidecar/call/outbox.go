package call

import (
	"os"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// collect makes an artifact of each file that the tool left in its outbox.
// What stayed out, the task's metadata tells. A name that the call itself uses
// gets the folder's in front.
func (p *Pipeline) collect(inv *Invocation, s *scratch) (updates []a2a.ArtifactUpdate) {
	if s.unused() {
		return nil
	}
	dir, err := os.OpenFile(s.outbox, task.OutboxFlags, 0)
	if err != nil {
		return nil // the tool removed it, or put something else in its place
	}
	defer dir.Close()
	found, skipped := task.ReadOutbox(dir)
	for _, f := range found {
		id := f.Name
		if reserved(id) {
			id = "outbox/" + id
		}
		updates = append(updates, a2a.ArtifactUpdate{
			LastChunk: true, Artifact: a2a.Artifact{ID: id, Name: f.Name, Parts: []a2a.Part{f.Part}},
		})
	}
	if skipped > 0 {
		inv.task.SetMetadata("outboxSkipped", strconv.AppendInt(nil, int64(skipped), 10))
		p.opts.Log.Warn("files in the outbox were left out", "task", inv.task.ID(), "call", inv.id, "files", skipped)
	}
	return updates
}

// reserved artifact ids are the call's own.
func reserved(id string) bool { return id == resultID || id == stderrID || id == binaryID }
