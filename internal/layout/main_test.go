package layout

import (
	"os"
	"testing"
)

// TestMain runs the tests at the repository's root, so that they name files as the
// pages do.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
