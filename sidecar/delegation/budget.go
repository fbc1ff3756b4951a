package delegation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Budget bounds what a task may use; a nil field sets no limit. It is not changed.
type Budget struct {
	Calls   *int64   `json:"calls,omitempty"`
	CostUSD *float64 `json:"costUsd,omitempty"`
	TimeMS  *int64   `json:"timeMs,omitempty"`
}

// NewBudget returns a budget; 0 sets no limit.
func NewBudget(calls int64, costUSD float64, limit time.Duration) (b Budget) {
	if calls > 0 {
		b.Calls = &calls
	}
	if costUSD > 0 {
		b.CostUSD = &costUSD
	}
	if limit > 0 {
		ms := milliseconds(limit)
		b.TimeMS = &ms
	}
	return b
}

// check returns what is wrong with a budget that came from outside.
func (b *Budget) check() error {
	switch {
	case b.Calls != nil && *b.Calls < 0, b.CostUSD != nil && (*b.CostUSD < 0 || math.IsNaN(*b.CostUSD)), b.TimeMS != nil && *b.TimeMS < 0:
		return errors.New("a budget is not below 0")
	case b.TimeMS != nil && *b.TimeMS > math.MaxInt64/int64(time.Millisecond):
		return errors.New("timeMs is more than 292 years")
	}
	return nil
}

// within returns the smaller limits of two budgets.
func (b Budget) within(other Budget) Budget {
	return Budget{Calls: least(b.Calls, other.Calls), CostUSD: least(b.CostUSD, other.CostUSD), TimeMS: least(b.TimeMS, other.TimeMS)}
}

func least[T int64 | float64](a, b *T) *T {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// time returns the limit of time, 0 for none.
func (b *Budget) time() (limit time.Duration, ok bool) {
	if b.TimeMS == nil {
		return 0, false
	}
	return time.Duration(*b.TimeMS) * time.Millisecond, true
}

// Used is what a task has used.
type Used struct {
	Calls   int64
	CostUSD float64
}

// plus adds what a child says that it has used: no number of it makes less of the sum, or one that JSON has no form for.
func (u Used) plus(more Used) Used {
	u.Calls += min(max(more.Calls, 0), math.MaxInt64/2-u.Calls)
	u.CostUSD = min(u.CostUSD+max(more.CostUSD, 0), math.MaxFloat64/2)
	return u
}

// spent returns which budget is used up, or given to children that run, in words for the model; nil if none is.
func (b *Budget) spent(u, given Used) error {
	switch all := u.plus(given); {
	case b.Calls != nil && u.Calls >= *b.Calls:
		return fmt.Errorf("the task's budget of %d tool calls is used up: go on without tools, and say what is left to do", *b.Calls)
	case b.CostUSD != nil && u.CostUSD >= *b.CostUSD:
		return fmt.Errorf("the task's budget of %s USD is used up: go on without tools, and say what is left to do", strconv.FormatFloat(*b.CostUSD, 'f', -1, 64))
	case b.Calls != nil && all.Calls >= *b.Calls, b.CostUSD != nil && all.CostUSD >= *b.CostUSD:
		return errGiven
	}
	return nil
}

// errGiven is the error of work whose budget is with its children: what they do not use comes back.
var errGiven = errors.New("the rest of the task's budget was given to sub-agents that run: wait for one to end, or go on without tools")

// share returns what a child gets of what is left: half, so that others can begin beside it and the parent can go on. Time
// is the same for all.
func (b Budget) share() Budget {
	if b.Calls != nil {
		n := *b.Calls - *b.Calls/2
		b.Calls = &n
	}
	if b.CostUSD != nil {
		n := *b.CostUSD / 2
		b.CostUSD = &n
	}
	return b
}

// most returns the most that may be used of a budget.
func (b *Budget) most() (u Used) {
	if b.Calls != nil {
		u.Calls = *b.Calls
	}
	if b.CostUSD != nil {
		u.CostUSD = *b.CostUSD
	}
	return u
}

// left returns what is left after something was used, in so much time.
func (b *Budget) left(u Used, took time.Duration) (rest Budget) {
	if b.Calls != nil {
		n := max(*b.Calls-u.Calls, 0)
		rest.Calls = &n
	}
	if b.CostUSD != nil {
		n := max(*b.CostUSD-u.CostUSD, 0)
		rest.CostUSD = &n
	}
	if limit, ok := b.time(); ok {
		n := max(limit-took, 0).Milliseconds()
		rest.TimeMS = &n
	}
	return rest
}

// TimeUp is the cause that stops work whose time is used up. It is a task.ErrDeadline.
type TimeUp time.Duration

func (d TimeUp) Error() string {
	return fmt.Sprintf("the task's budget of %s is used up", time.Duration(d))
}

// Is makes it a task.ErrDeadline.
func (TimeUp) Is(target error) bool { return target == task.ErrDeadline }

// costKey is the key in a task's metadata for what its agent has cost.
const costKey = "sv.cost.usd"

// CostOf returns what the agent says that a task has cost in USD, 0 if it says nothing that can be believed.
func CostOf(m a2a.Metadata) float64 {
	var cost float64
	if raw, ok := m[costKey]; !ok || json.Unmarshal(raw, &cost) != nil || cost < 0 {
		return 0
	}
	return cost
}
