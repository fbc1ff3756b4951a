//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"runtime"
)

// NewNamespace returns an error.
func NewNamespace() (*Namespace, error) { return nil, NamespaceFault() }

// NamespaceFault says that there are no network namespaces on this system.
func NamespaceFault() error {
	return fmt.Errorf("there are no network namespaces on %s, only on Linux: %w", runtime.GOOS, errors.ErrUnsupported)
}
