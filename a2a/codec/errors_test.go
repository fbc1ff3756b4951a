package codec

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Every error of the table, in every encoding, comes back as itself where our
// client reads it.
func TestErrorsRoundTrip(t *testing.T) {
	for _, e := range wireErrors() {
		said := e.With("text %q of it", e.Reason)
		said.RetryAfter = 0
		for _, raw := range [][]byte{codec10{}.ErrorObject(said), codec03{}.ErrorObject(said)} {
			if diff := cmp.Diff(said, DecodeError(raw)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", raw, diff)
			}
		}
	}
}

func TestGoldenErrors(t *testing.T) {
	e := a2a.ErrTaskNotFound.With("no task %q", "x")
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}`
	const status = `{"code":404,"status":"NOT_FOUND","message":"no task \"x\"","details":[` + info + `]}`
	tests := []struct{ name, got, want string }{
		{"1.0 JSON-RPC", string(codec10{}.ErrorObject(e)), `{"code":-32001,"message":"no task \"x\"","data":[` + info + `]}`},
		{"0.3 JSON-RPC", string(codec03{}.ErrorObject(e)), `{"code":-32001,"message":"no task \"x\""}`},
		{"1.0 REST", string(codec10{}.EncodeRESTError(e)), `{"error":` + status + `}`},
		{"0.3 REST", string(codec03REST{}.EncodeRESTError(e)), `{"code":-32001,"message":"no task \"x\"","error":` + status + `}`},
		{"busy", string(codec10{}.ErrorObject(a2a.ErrBusy)), `{"code":-32050,"message":"the queue is full","data":[` +
			`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BUSY","domain":"a2a-protocol.org"},` +
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}]}`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Codes and statuses as the specification has them (§5.4).
func TestErrorTable(t *testing.T) {
	want := map[int]int{
		-32001: 404, -32002: 400, -32003: 400, -32004: 400, -32005: 400, -32006: 500, -32007: 400, -32008: 400, -32009: 400,
		-32050: 429, -32051: 503, -32052: 401, -32700: 400, -32600: 400, -32601: 404, -32602: 400, -32603: 500,
	}
	got := map[int]int{}
	for _, e := range wireErrors() {
		got[e.Code] = e.HTTP
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeErrorOfNobody(t *testing.T) {
	for _, raw := range []string{`null`, `"x"`, `{}`, `{"message":"x"}`, `[]`} {
		if e := DecodeError([]byte(raw)); e != nil {
			t.Errorf("%s: %+v", raw, e)
		}
	}
	e := DecodeError([]byte(`{"code":-31999,"message":"odd"}`))
	if e == nil || e.Code != -31999 || e.Message != "odd" {
		t.Errorf("unknown code: %+v", e)
	}
	e = DecodeError([]byte(`{"code":404,"message":"gone","details":[{"reason":"TASK_NOT_FOUND"}]}`))
	if !errors.Is(e, a2a.ErrTaskNotFound) || e.Message != "gone" {
		t.Errorf("REST: %+v", e)
	}
}
