package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// The parts of a bbolt file that are not records have no checksum: one wrong bit can
// make records vanish, or make bbolt loop forever. So all pages, but not the records
// in them, are checked before the file is opened: each page is of the kind that its
// parent says, is in its place only once, and has elements that follow each other
// without a gap.
const (
	pageHeader    = 16
	pageElement   = 16
	flagBranch    = 1
	flagLeaf      = 2
	flagFreelist  = 16
	flagBucket    = 1 // of a leaf's element
	metaRoot      = 16
	metaFreelist  = 32
	metaEnd       = 40
	noFreelist    = 1<<64 - 1
	manyFreePages = 1<<16 - 1
	maxPages      = 1 << 40
	maxLevels     = 64 // depth of the tree; with two children a page, more than fit anywhere
)

// pages are the pages of a mapped file.
type pages struct {
	data []byte
	size uint64
	end  uint64 // the page after the last one in use
	seen map[uint64]bool

	level int
}

// checkPages returns what is wrong with the structure of a file. It returns nil if
// the file has no whole meta page, because bbolt reports that.
func checkPages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil || info.Size() < minPageSize {
		return err
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(data)
	m, ok := newestMeta(f)
	if !ok {
		return nil
	}
	p := pages{data: data, size: uint64(binary.NativeEndian.Uint32(m.raw[8:])), end: binary.NativeEndian.Uint64(m.raw[metaEnd:]), seen: map[uint64]bool{}}
	switch there := uint64(len(data)); {
	case p.size < minPageSize || p.size > maxPageSize || p.end > maxPages:
		return errors.New("its meta page is spoiled")
	case p.end*p.size > there:
		return nil // the file was cut: the check of its length reports that
	}
	if err := p.tree(binary.NativeEndian.Uint64(m.raw[metaRoot:]), nil, nil); err != nil {
		return err
	}
	return p.free(binary.NativeEndian.Uint64(m.raw[metaFreelist:]))
}

// newestMeta returns the whole meta page that bbolt will use, and reports whether
// there is one.
func newestMeta(f *os.File) (newest meta, ok bool) {
	for at := int64(0); at <= maxPageSize; at = max(2*at, minPageSize) {
		if m := readMeta(f, at); m.whole && (!ok || m.txid() > newest.txid()) {
			newest, ok = m, true
		}
	}
	return newest, ok
}

// page returns a page that nothing else refers to, its flags, and how many elements
// it has.
func (p *pages) page(id uint64) (page []byte, flags uint16, count int, err error) {
	if id < 2 || id >= p.end || p.seen[id] {
		return nil, 0, 0, fmt.Errorf("page %d is not where it should be", id)
	}
	page = p.data[id*p.size:]
	overflow := uint64(binary.NativeEndian.Uint32(page[12:]))
	if binary.NativeEndian.Uint64(page) != id || id+overflow >= p.end {
		return nil, 0, 0, fmt.Errorf("page %d is spoiled", id)
	}
	for i := range overflow + 1 {
		p.seen[id+i] = true
	}
	return page[:(overflow+1)*p.size], binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:])), nil
}

// tree checks a page and all pages below it. Its keys must not be before low, and
// must be before high; a nil bound is no bound.
func (p *pages) tree(id uint64, low, high []byte) error {
	page, flags, count, err := p.page(id)
	if err != nil {
		return err
	}
	spoiled := fmt.Errorf("page %d is spoiled", id)
	if p.level++; p.level > maxLevels {
		return spoiled
	}
	defer func() { p.level-- }()
	if flags != flagLeaf && (flags != flagBranch || count == 0) || pageHeader+count*pageElement > len(page) {
		return spoiled
	}
	keys, children := make([][]byte, 0, count+1), []uint64(nil)
	next := pageHeader + count*pageElement
	for i := range count {
		at := pageHeader + i*pageElement
		e := page[at : at+pageElement]
		pos, keyLen, valueLen := int(binary.NativeEndian.Uint32(e)), int(binary.NativeEndian.Uint32(e[4:])), 0
		if flags == flagLeaf {
			pos, keyLen, valueLen = int(binary.NativeEndian.Uint32(e[4:])), int(binary.NativeEndian.Uint32(e[8:])), int(binary.NativeEndian.Uint32(e[12:]))
		}
		if at+pos != next || next+keyLen+valueLen > len(page) {
			return spoiled
		}
		key, value := page[next:next+keyLen], page[next+keyLen:next+keyLen+valueLen]
		next += keyLen + valueLen
		if low != nil && bytes.Compare(key, low) < 0 || high != nil && bytes.Compare(key, high) >= 0 || i > 0 && bytes.Compare(keys[i-1], key) >= 0 {
			return spoiled
		}
		keys = append(keys, key)
		switch {
		case flags == flagBranch:
			children = append(children, binary.NativeEndian.Uint64(e[8:]))
		case binary.NativeEndian.Uint32(e) == flagBucket:
			if err := p.bucket(value); err != nil {
				return err
			}
		case binary.NativeEndian.Uint32(e) != 0:
			return spoiled
		}
	}
	keys = append(keys, high)
	for i, child := range children {
		if err := p.tree(child, keys[i], keys[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks the pages of a bucket. A small bucket is a part of its parent's
// page.
func (p *pages) bucket(value []byte) error {
	if len(value) < 16 {
		return fmt.Errorf("a bucket is spoiled")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return p.tree(root, nil, nil)
	}
	return nil
}

// free checks that no page in use is in the list of free pages, which may be
// overwritten.
func (p *pages) free(id uint64) error {
	if id == noFreelist {
		return nil
	}
	page, flags, count, err := p.page(id)
	if err != nil {
		return err
	}
	list := page[pageHeader:]
	if count == manyFreePages {
		count, list = int(binary.NativeEndian.Uint64(list)), list[8:]
	}
	if flags != flagFreelist || count < 0 || count > len(list)/8 {
		return fmt.Errorf("the list of free pages is spoiled")
	}
	for i := range count {
		if free := binary.NativeEndian.Uint64(list[8*i:]); free < 2 || free >= p.end || p.seen[free] {
			return fmt.Errorf("the list of free pages is spoiled")
		}
	}
	return nil
}
