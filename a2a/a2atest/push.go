package a2atest

import (
	"context"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// pushConfigs are what every task of the fake has.
func pushConfigs(task string) []a2a.PushConfig {
	return []a2a.PushConfig{
		{ID: "one", TaskID: task, URL: "https://example.com/one?a=1&b=2", Token: "t-1", Scheme: "Bearer", Credentials: "c-1"},
		{ID: "two", TaskID: task, URL: "https://example.com/two"},
		{ID: "a/b", TaskID: task, URL: "https://example.com/three", Scheme: "Basic"},
	}
}

func (f *Fake) CreatePush(_ context.Context, r *a2a.CreatePushRequest) (*a2a.PushConfig, error) {
	if _, err := f.task(r.Config.TaskID); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Pushed = append(f.Pushed, r)
	c := r.Config
	if c.ID == "" {
		c.ID = "made"
	}
	return &c, nil
}

func (f *Fake) GetPush(_ context.Context, r *a2a.PushRequest) (*a2a.PushConfig, error) {
	if _, err := f.task(r.TaskID); err != nil {
		return nil, err
	}
	all := pushConfigs(r.TaskID)
	i := slices.IndexFunc(all, func(c a2a.PushConfig) bool { return c.ID == r.ID || r.ID == "" })
	if i < 0 {
		return nil, a2a.ErrTaskNotFound.With("task %s has no push config %.40q", r.TaskID, r.ID)
	}
	return &all[i], nil
}

func (f *Fake) ListPush(_ context.Context, r *a2a.ListPushRequest) ([]a2a.PushConfig, error) {
	if _, err := f.task(r.TaskID); err != nil {
		return nil, err
	}
	if r.TaskID == "working" {
		return nil, nil
	}
	return pushConfigs(r.TaskID), nil
}

func (f *Fake) DeletePush(_ context.Context, r *a2a.PushRequest) error {
	f.mu.Lock()
	f.Unpushed = append(f.Unpushed, r.TaskID+" "+r.ID)
	f.mu.Unlock()
	_, err := f.task(r.TaskID)
	return err
}
