package changes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// shelf is where records are kept, each under its number. Many goroutines may use it.
type shelf interface {
	// put keeps a record: after it has returned nil it survives a crash as far as the shelf does.
	put(seq uint64, data []byte) error
	// get returns a record. The error wraps fs.ErrNotExist if there is none.
	get(seq uint64) ([]byte, error)
	remove(seq uint64) error
	close() error
}

// memory is a shelf that ends with the process.
type memory struct {
	mu  sync.Mutex
	all map[uint64][]byte
}

var _ shelf = (*memory)(nil)

func (m *memory) put(seq uint64, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all[seq] = data
	return nil
}

func (m *memory) get(seq uint64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if data, ok := m.all[seq]; ok {
		return data, nil
	}
	return nil, fs.ErrNotExist
}

func (m *memory) remove(seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, seq)
	return nil
}

func (m *memory) close() error { return nil }

// disk is a directory with a file for each record.
type disk struct {
	root *os.Root
	most int64 // bytes of one record: what has more is none
}

var _ shelf = (*disk)(nil)

// suffix ends the name of a record's file, and partSuffix that of one which is not whole.
const (
	suffix     = ".change"
	partSuffix = ".part"
)

func name(seq uint64) string { return fmt.Sprintf("%016x%s", seq, suffix) }

// openDisk opens a directory, which is made if it does not exist, and returns the numbers of its records, the oldest first.
func openDisk(dir string, most int64, log *slog.Logger) (*disk, []uint64, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	var all []uint64
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), partSuffix) {
			if err := root.Remove(e.Name()); err != nil {
				log.Warn("what is left of a record of changes cannot be removed", "file", filepath.Join(dir, e.Name()), "error", err)
			}
			continue
		}
		number, ok := strings.CutSuffix(e.Name(), suffix)
		seq, err := strconv.ParseUint(number, 16, 64)
		if ok && err == nil && name(seq) == e.Name() && e.Type().IsRegular() {
			all = append(all, seq)
		}
	}
	slices.Sort(all)
	return &disk{root, most}, all, nil
}

func (d *disk) put(seq uint64, data []byte) error {
	part := name(seq) + partSuffix
	err := d.fill(part, data)
	if err == nil {
		err = d.root.Rename(part, name(seq))
	}
	if err != nil {
		_ = d.root.Remove(part) // it may not be there
		return err
	}
	return d.sync()
}

// fill makes a file and brings it to the disk.
func (d *disk) fill(part string, data []byte) error {
	f, err := d.root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync brings the names of the directory to the disk.
func (d *disk) sync() error {
	dir, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (d *disk) get(seq uint64) ([]byte, error) {
	f, err := d.root.Open(name(seq))
	if err != nil {
		return nil, err
	}
	defer f.Close() // it was only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > d.most {
		return nil, fmt.Errorf("it has %d bytes, and no record has more than %d", info.Size(), d.most)
	}
	data := make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

func (d *disk) remove(seq uint64) error {
	if err := d.root.Remove(name(seq)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (d *disk) close() error { return d.root.Close() }
