package config_test

import (
	"os"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// BenchmarkLoad is the part of a start that is spent on settings.
func BenchmarkLoad(b *testing.B) {
	src := config.Sources{Args: []string{"cat"}, Environ: os.Environ()}
	for b.Loop() {
		if _, err := config.Load(src); err != nil {
			b.Fatal(err)
		}
	}
}
