//go:build !linux

package peertest

import (
	"errors"
	"net/netip"
)

// Ways are all of them: none is known here.
func Ways() []string { return nil }

// Hide is not known here.
func Hide(string, netip.AddrPort, string) (local netip.AddrPort, err error) {
	return local, errors.ErrUnsupported
}

// Answered is not known here.
func Answered(netip.AddrPort) error { return errors.ErrUnsupported }
