//go:build !linux

package call_test

// benchmarkedSandboxes are none: there is no sandbox.
var benchmarkedSandboxes []benchmarkedCall
