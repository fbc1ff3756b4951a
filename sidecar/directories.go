package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
)

// enter checks whether a message may begin a task. The directories that it names for the
// task have to be there, and do not come from the agent's own processes.
func (h *handler) enter(ctx context.Context, r *a2a.SendRequest) error {
	if err := h.gate.Enter(ctx); err != nil {
		return err
	}
	named := r.Message.Metadata[capability.DirectoriesURI]
	if named == nil {
		return nil
	}
	if err := outsider(ctx); err != nil {
		return err
	}
	dirs, err := capability.ParseAdHoc(named)
	if err == nil {
		_, err = h.scope.For(dirs)
	}
	if err != nil {
		return a2a.ErrInvalidParams.With("the directories of the message: %v", err).At("message.metadata." + capability.DirectoriesURI)
	}
	return nil
}
