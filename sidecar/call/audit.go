package call

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// Watchdog is the operator's own program that is asked about calls. Ask returns soon
// after its context has ended; it may be called from many goroutines.
type Watchdog interface {
	Ask(ctx context.Context, r watchdog.Request) watchdog.Answer
}

// Audit records calls. It may be used by many goroutines, and keeps the records: they
// must not be changed afterwards, except that Before sets Seq.
type Audit interface {
	// Before records a call that is about to be executed. An error says that the call
	// must not be.
	Before(ctx context.Context, r *audit.Record) error
	// After records a call that has ended. It does not wait for the disk.
	After(r *audit.Record)
}
