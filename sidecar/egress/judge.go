package egress

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// JudgeTimeout bounds the time that Dialer.Judge has for one target.
const JudgeTimeout = 5 * time.Second

// Ruling is what Dialer.Judge says of a target. The zero Ruling refuses it.
type Ruling struct {
	Allowed bool
	Reason  string // why it is refused, for the program that wants to connect
	// Rule, File and Line name the rule that decided; "" and 0 for none.
	Rule, File string
	Line       int
}

// judge asks Judge, on a goroutine of its own: neither a panic nor a rule that takes long does
// anything to other connections, or keeps the call from ending. A Judge that ignores the end of its
// context keeps that goroutine until it returns, and nothing else.
func (d *Dialer) judge(ctx context.Context, to netguard.Target) Ruling {
	ctx, cancel := context.WithTimeout(ctx, JudgeTimeout)
	defer cancel()
	ruled := make(chan Ruling, 1)
	go func() {
		r := Ruling{Reason: "an error of the sidecar kept it from being judged"}
		defer func() {
			if v := recover(); v != nil {
				d.log().Error("the judgement of a connection panicked: it is refused", "host", to.String(), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			}
			ruled <- r
		}()
		r = d.Judge(ctx, to)
	}()
	select {
	case r := <-ruled:
		return r
	case <-ctx.Done():
	}
	if context.Cause(ctx) == context.DeadlineExceeded {
		d.log().Warn("the judgement of a connection takes too long: it is refused", "host", to.String(), "limit", JudgeTimeout)
		return Ruling{Reason: fmt.Sprintf("it was not judged within %s", JudgeTimeout)}
	}
	return Ruling{Reason: errEnded.Error()}
}

func (d *Dialer) log() *slog.Logger {
	if d.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return d.Log
}
