package qwen

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// dialect is another agent's dialect, except for a request that failed: qwen reports
// that as the answer of a turn that succeeded.
func dialect(like *spec.Dialect) *spec.Dialect {
	return &spec.Dialect{Recognizes: like.Recognizes, Reader: func(o *spec.Output) func([]byte) {
		read := like.Reader(o)
		return func(event []byte) {
			read(event)
			if reason := failure(event); reason != "" && o.Ending.OK {
				o.Fail(reason)
			}
		}
	}}
}

// failure returns the error of a final event that is one: its result is the error, and
// no tokens came.
func failure(event []byte) string {
	var e struct {
		Type   string `json:"type"`
		Result string `json:"result"`
		Usage  struct {
			Output int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(event, &e) != nil || e.Type != "result" || e.Usage.Output > 0 || !strings.HasPrefix(e.Result, "[API Error: ") {
		return ""
	}
	return e.Result
}
