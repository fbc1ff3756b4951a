//go:build !linux

package watchdog_test

import (
	"errors"
	"net"
)

func as(int) func(path string) (net.Listener, error) {
	return func(string) (net.Listener, error) { return nil, errors.ErrUnsupported }
}
