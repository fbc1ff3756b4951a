package disk

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
)

// A bbolt file begins with two meta pages, which are written in turn: the newer
// whole page says what is in the file. If one is spoiled, bbolt uses the other one
// without a warning, and the last transaction may be lost.
const (
	metaMagic   = 0xED0CDAED
	metaHeader  = 16 // of a page
	metaSize    = 64 // with its checksum
	metaTxid    = 48
	minPageSize = 1 << 10
	maxPageSize = 1 << 16
)

var errMeta = errors.New("one of its two meta pages is spoiled, and what was stored last may be missing")

// meta is one of the two meta pages.
type meta struct {
	whole bool
	raw   [metaSize]byte
}

func (m *meta) txid() uint64 { return binary.NativeEndian.Uint64(m.raw[metaTxid:]) }

func (m *meta) good() bool {
	h := fnv.New64a()
	h.Write(m.raw[:metaSize-8])
	return binary.NativeEndian.Uint32(m.raw[:]) == metaMagic && binary.NativeEndian.Uint64(m.raw[metaSize-8:]) == h.Sum64()
}

// checkMeta reports whether the older meta page is spoiled; that page is not needed.
// If the spoiled page may be the newer one, the error is errMeta. If the file has no
// whole meta page at all, bbolt reports that.
func checkMeta(path string) (spoiled bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close() // nothing was written
	first := readMeta(f, 0)
	second := meta{}
	for size := int64(minPageSize); size <= maxPageSize && !second.whole; size *= 2 {
		second = readMeta(f, size)
	}
	switch {
	case first.whole == second.whole:
		return false, nil
	case first.whole:
		second = readMeta(f, pageSize(f))
		return true, spoiledMeta(first, second)
	}
	return true, spoiledMeta(second, first)
}

// spoiledMeta returns nil if the spoiled page says that it is the older one, and
// what is spoiled is not that number. Otherwise it returns errMeta.
func spoiledMeta(whole, spoiled meta) error {
	if spoiled.txid()+1 != whole.txid() {
		return errMeta
	}
	newer := spoiled
	binary.NativeEndian.PutUint64(newer.raw[metaTxid:], whole.txid()+1)
	if newer.good() {
		return errMeta
	}
	return nil
}

// pageSize is the page size that a whole first page names.
func pageSize(f io.ReaderAt) int64 {
	var b [4]byte
	if _, err := f.ReadAt(b[:], metaHeader+8); err != nil {
		return 0
	}
	return int64(binary.NativeEndian.Uint32(b[:]))
}

func readMeta(f io.ReaderAt, at int64) (m meta) {
	if _, err := f.ReadAt(m.raw[:], at+metaHeader); err != nil {
		return meta{}
	}
	m.whole = m.good()
	return m
}
