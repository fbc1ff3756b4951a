package disk

import (
	"encoding/binary"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// These are the kinds of row in the log. The place of a message counts all messages
// of the store; the place of an event is its ID.
const (
	kindEvent   byte = 'e'
	kindMessage byte = 'm'
)

// keySize is the length of a row's key: the task's number, the kind and the place.
const keySize = 8 + 1 + 8

type rowKey [keySize]byte

func makeKey(number uint64, kind byte, place uint64) rowKey {
	var k rowKey
	binary.BigEndian.PutUint64(k[:], number)
	k[8] = kind
	binary.BigEndian.PutUint64(k[9:], place)
	return k
}

func (k rowKey) number() uint64 { return binary.BigEndian.Uint64(k[:]) }
func (k rowKey) kind() byte     { return k[8] }
func (k rowKey) place() uint64  { return binary.BigEndian.Uint64(k[9:]) }

// row is one record of the log.
type row struct {
	key   rowKey
	value []byte
}

// flagCont is a flag in the first byte of an event's value. It is Stored.Cont.
const flagCont byte = 1

func encodeEvent(e *task.Stored) []byte {
	raw := codec.EncodeEvent(e.Event, a2a.V10)
	b := make([]byte, 1, 1+len(raw))
	if e.Cont {
		b[0] = flagCont
	}
	return append(b, raw...)
}

func decodeEvent(r row) (*task.Stored, error) {
	if len(r.value) == 0 {
		return nil, errShort
	}
	e, err := codec.DecodeEvent(r.value[1:])
	if err != nil {
		return nil, err
	}
	e.ID = r.key.place()
	return &task.Stored{Event: e, Cont: r.value[0]&flagCont != 0}, nil
}
