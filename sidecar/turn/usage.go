package turn

import (
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

// usage is what a turn has cost; nil and "" are unknown.
type usage struct {
	in, out *int64
	cost    *float64
	model   string
}

// into writes what is known into the task's metadata.
func (u usage) into(t *task.Task) {
	if u.cost != nil {
		t.SetMetadata(metaCost, driver.JSON(*u.cost))
	}
	if u.in != nil {
		t.SetMetadata(metaInputTokens, driver.JSON(*u.in))
	}
	if u.out != nil {
		t.SetMetadata(metaOutputTokens, driver.JSON(*u.out))
	}
	if u.model != "" {
		t.SetMetadata(metaModel, driver.JSON(u.model))
	}
}

// tokens adds counts, as several steps of one turn report them.
func (u *usage) tokens(in, out int64) {
	u.in, u.out = plus(u.in, in), plus(u.out, out)
}

func plus[T int64 | float64](sum *T, v T) *T {
	if sum != nil {
		v += *sum
	}
	return &v
}
