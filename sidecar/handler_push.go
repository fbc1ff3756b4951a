package sidecar

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// CreatePush is refused: nothing is sent yet.
func (h *handler) CreatePush(context.Context, *a2a.CreatePushRequest) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotSupported
}

// GetPush returns one receiver.
func (h *handler) GetPush(context.Context, *a2a.PushRequest) (*a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotSupported
}

// ListPush returns all receivers of a task.
func (h *handler) ListPush(context.Context, *a2a.ListPushRequest) ([]a2a.PushConfig, error) {
	return nil, a2a.ErrPushNotSupported
}

// DeletePush removes one.
func (h *handler) DeletePush(context.Context, *a2a.PushRequest) error {
	return a2a.ErrPushNotSupported
}
