package sandbox

import (
	"errors"
	"net"
	"os"
)

// NamespacePort is the port of a namespace's listener, on 127.0.0.1.
const NamespacePort = 3128

// Namespace is a network namespace of its own: in it are the loopback and one listener of ours,
// and no way out but through that.
type Namespace struct {
	file     *os.File
	listener net.Listener
}

// File is the namespace, for Net.Namespace and More.Namespace. It is the Namespace's.
func (n *Namespace) File() *os.File { return n.file }

// Listener accepts the connections that programs in the namespace make to NamespacePort. It may
// be closed before the Namespace.
func (n *Namespace) Listener() net.Listener { return n.listener }

// Close lets go of the namespace. It exists until the last program in it has ended.
func (n *Namespace) Close() error {
	err := n.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, n.file.Close())
}
