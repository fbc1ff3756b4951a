package tool_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// A call that ends in the middle changes nothing, whatever it is doing: looking for the places, or for lines that are like those that are
// not there, or before it writes.
func TestChangesThatEndInTheMiddle(t *testing.T) {
	content := strings.Repeat("line\n", 10_000)
	for _, c := range []struct {
		name, tool, args string
		after            int
	}{
		{"places", "edit", args("file_path", "f", "old_string", "line", "new_string", "x", "replace_all", true), 100},
		{"lines that are like it", "edit", args("file_path", "f", "old_string", "lime", "new_string", "x"), 100},
		{"a new file", "edit", args("file_path", "g", "old_string", "", "new_string", "x"), 0},
		{"the same file", "write", args("file_path", "f", "content", "x"), 0},
	} {
		g := newGround(t)
		g.put("f", content)
		ctx := &await.Tired{Context: t.Context(), After: c.after}
		var out sink
		_, err := g.call(ctx, c.tool, c.args, &out)
		if !errors.Is(err, await.ErrTired) || ctx.Looks > c.after+10 {
			t.Errorf("%s: %v, looked at %d times", c.name, err, ctx.Looks)
		}
		g.has("f", content)
		if _, err := os.Stat(g.at("g")); err == nil {
			t.Errorf("%s: there is a new file", c.name)
		}
	}
}
