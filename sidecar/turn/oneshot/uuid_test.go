package oneshot_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/oneshot"
)

func TestUUID(t *testing.T) {
	for _, id := range []string{a2a.NewID(), "22222222-2222-4333-8444-555555555555"} {
		if got := oneshot.UUID(id); got != id {
			t.Errorf("%s became %s", id, got)
		}
	}
	seen := map[string]string{}
	for _, id := range []string{"", "x", "y", "22222222-2222-4333-8444-55555555555G", "22222222-2222-4333-8444-5555555555555", "22222222-2222-4333-8444-55555555555A", "22222222-2222-0333-8444-555555555555", "22222222222224333-8444-5555555555555", "--resume"} {
		got := oneshot.UUID(id)
		if got == id || oneshot.UUID(got) != got || oneshot.UUID(id) != got {
			t.Errorf("%q became %q, which is no UUID or not always the same", id, got)
		}
		if other, taken := seen[got]; taken {
			t.Errorf("%q and %q are both %s", id, other, got)
		}
		seen[got] = id
	}
	const want = "ebc60a55-951e-58f1-bb1f-eb46f81f1ddf" // the names of conversations that there are
	if got := oneshot.UUID("my context"); got != want {
		t.Errorf("got %s", got)
	}
}
