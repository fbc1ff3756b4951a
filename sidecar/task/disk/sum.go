package disk

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// errSpoiled: a record is not what was written.
var errSpoiled = errors.New("its checksum is wrong")

// sealed begins a value that ends with the checksum of its key and itself. Values
// of format 1 have none: a head begins with a 0, an event with a byte of flags, a
// message with a brace.
const sealed byte = 0x80

// sumSize is the length of a checksum: CRC-32C, which finds each flip of up to
// three bits in whatever a record holds, and misses one of 2^32 others.
const sumSize = 4

// sealSize is what a sealed value is longer by.
const sealSize = 1 + sumSize

// seal is the value as it is kept.
func seal(key, value []byte) []byte {
	b := make([]byte, 0, len(value)+sealSize)
	b = append(append(b, sealed), value...)
	return binary.BigEndian.AppendUint32(b, sum(key, b))
}

// unseal returns what seal was given, a part of what was kept. With an error it
// returns what there is, of which nothing is certain.
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
