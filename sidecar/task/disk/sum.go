package disk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// errSpoiled means that a record is not what was written.
var errSpoiled = errors.New("its checksum is wrong")

// sealed is the first byte of a value that ends with the checksum of its key and of
// the value. Values of format 1 have no checksum: a head begins with a 0, an event
// with a byte of flags, a message with a brace.
const sealed byte = 0x80

// sumSize is the length of a checksum. It is a CRC-32C: it finds each flip of up to
// three bits in whatever a record holds, and misses one in 2^32 of other faults.
const sumSize = 4

// sealSize is how many bytes a sealed value is longer.
const sealSize = 1 + sumSize

// seal returns the value as it is kept.
func seal(key, value []byte) []byte {
	b := make([]byte, 0, len(value)+sealSize)
	b = append(append(b, sealed), value...)
	return binary.BigEndian.AppendUint32(b, sum(key, b))
}

// unseal returns the value that was given to seal; it is a part of kept. If there is
// an error, value is what is left, and nothing in it is certain.
func unseal(key, kept []byte) (value []byte, err error) {
	switch {
	case len(kept) == 0:
		return nil, errSpoiled
	case kept[0] != sealed:
		return kept, nil // of format 1
	case len(kept) < sealSize:
		return nil, errSpoiled
	}
	end := len(kept) - sumSize
	if binary.BigEndian.Uint32(kept[end:]) != sum(key, kept[:end]) {
		err = errSpoiled
	}
	return kept[1:end], err
}

func sum(key, value []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(key, table), table, value)
}
