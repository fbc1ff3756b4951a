package text_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

func TestJSON(t *testing.T) {
	if got, err := text.JSON(map[string]string{"a": "<b> & \xff\n"}); string(got) != `{"a":"<b> & \ufffd\n"}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := text.JSON(func() {}); err == nil {
		t.Error("a function has no JSON")
	}
}
