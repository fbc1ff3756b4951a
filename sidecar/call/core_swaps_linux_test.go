package call_test

import (
	"os"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// A command does not get out by a directory that is swapped for a link while it runs. Without a sandbox it does, in time.
func TestBashUnderSwaps(t *testing.T) {
	const line = "{ i=0; while [ $i -lt 3000 ]; do read -r x <dir/f && [ \"$x\" != public ] && echo \"$x\" && echo gone >dir/f && break; i=$((i+1)); done; } 2>/dev/null; echo tried"
	confined, free := sandboxed(t, confine.Required), func(o *call.Options) { o.Sandbox = nil }
	for name, sandbox := range map[string]func(*call.Options){"confined": confined, "free": free} {
		b := newCore(t, allowAll, withHost(t), deciding(policy.Allow), func(o *call.Options) { o.RuntimeDir = t.TempDir() }, sandbox)
		outside, stop := b.swapped("TOP secret\n", "only-there")
		got, out := "", false
		for range 20 {
			if got, _ = b.file("ann", "", "bash", map[string]any{"command": line}); strings.Contains(got, "TOP") {
				out = true
				break
			}
		}
		if n := stop(); n == 0 {
			t.Errorf("%s: nothing was swapped", name)
		}
		content, err := os.ReadFile(outside + "/f")
		if changed := string(content) != "TOP secret\n"; err != nil || out != (name == "free") || changed && name == "confined" || !strings.HasSuffix(got, "tried\n") {
			t.Errorf("%s: it got out: %v, what is outside was changed: %v %v, %q", name, out, changed, err, got)
		}
	}
}
