//go:build !linux

package proctest

func playSpawn([]string) int { return 1 }
