package driver_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

func TestToolPrompt(t *testing.T) {
	c := &driver.Call{ID: "1", Tool: "a.b", Arguments: []byte(`{"s":"te\"xt","n":1.5,"o":{"k": [1]}}`)}
	got, err := driver.CallText(c, "{id} {name} {arguments.s} {arguments.n} {arguments.o} {arguments.none}| {other} {arguments}")
	if want := `1 a.b te"xt 1.5 {"k":[1]} | {other} {"s":"te\"xt","n":1.5,"o":{"k":[1]}}`; err != nil || got != want {
		t.Errorf("%q %v", got, err)
	}
}
