package turn

import (
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// The names under which a turn's cost is kept in its task's metadata.
const (
	metaCost         = "sv.cost.usd"
	metaInputTokens  = "sv.usage.input_tokens"
	metaOutputTokens = "sv.usage.output_tokens"
	metaModel        = "sv.model"
)

// noteUsage writes what is known of a turn's cost into its task's metadata.
func noteUsage(u spec.Usage, t *task.Task) {
	if u.Cost != nil {
		t.SetMetadata(metaCost, driver.JSON(*u.Cost))
	}
	if u.Input != nil {
		t.SetMetadata(metaInputTokens, driver.JSON(*u.Input))
	}
	if u.Output != nil {
		t.SetMetadata(metaOutputTokens, driver.JSON(*u.Output))
	}
	if u.Model != "" {
		t.SetMetadata(metaModel, driver.JSON(u.Model))
	}
}
