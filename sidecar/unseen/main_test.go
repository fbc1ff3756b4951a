package unseen_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/unseen/strangers"
)

func TestMain(m *testing.M) {
	strangers.Main()
	os.Exit(m.Run())
}
