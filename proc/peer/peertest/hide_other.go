//go:build !linux

package peertest

import (
	"errors"
	"net/netip"
)

// Ways returns no ways: none is known on this system.
func Ways() []string { return nil }

// Hide is not supported on this system.
func Hide(string, netip.AddrPort, string) (local netip.AddrPort, err error) {
	return local, errors.ErrUnsupported
}

// Answered is not supported on this system.
func Answered(netip.AddrPort) error { return errors.ErrUnsupported }
