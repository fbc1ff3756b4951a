//go:build !linux

package sidecar_test

// These have nothing to get out of: there is no sandbox.
func escaper() int     { return 1 }
func floods() int      { return 1 }
func triesLayers() int { return 1 }
func proxied() int     { return 1 }
func powerless() int   { return 1 }
