package job

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// RecordUsage writes what is known of a process's cost into the task's metadata.
func RecordUsage(t *task.Task, u channel.Usage) {
	if u.CostUSD != nil {
		t.SetMetadata("sv.cost.usd", encode(*u.CostUSD))
	}
	if u.InputTokens != nil {
		t.SetMetadata("sv.usage.input_tokens", encode(*u.InputTokens))
	}
	if u.OutputTokens != nil {
		t.SetMetadata("sv.usage.output_tokens", encode(*u.OutputTokens))
	}
	if u.Model != "" {
		t.SetMetadata("sv.model", encode(u.Model))
	}
}

// encode returns a value as JSON. Numbers that come over the channel are finite, so
// they always encode.
func encode[T int64 | float64 | string](v T) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}
