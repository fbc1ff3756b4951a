package files

import (
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// opened is a regular file that is open for reading. It is a bare descriptor: a search opens thousands, and
// an os.File asks the kernel more of each.
type opened struct {
	fd   int
	info *info
}

var _ tool.Opened = (*opened)(nil)

func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *opened) Close() error               { return unix.Close(o.fd) }

func (o *opened) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return read(again(func() (int, error) { return unix.Read(o.fd, p) }))
}

func (o *opened) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) && err == nil {
		var got int
		got, err = read(again(func() (int, error) { return unix.Pread(o.fd, p[n:], offset+int64(n)) }))
		n += got
	}
	return n, err
}

// read makes what io.Reader returns of what the kernel does.
func read(n int, err error) (int, error) {
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// kept is a file that was opened for the call: it stays open.
type kept struct {
	*io.SectionReader
	info fs.FileInfo
}

var _ tool.Opened = (*kept)(nil)

func (k *kept) Stat() (fs.FileInfo, error) { return k.info, nil }
func (k *kept) Close() error               { return nil }

func newKept(f *os.File) (*kept, error) {
	now, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return &kept{io.NewSectionReader(f, 0, now.Size()), now}, nil
}
