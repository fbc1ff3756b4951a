package manifest_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// endless is what has no end, and says how much of it was read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return len(p), nil
}

// Of what has no end no more is read than a manifest can have, and a byte to tell.
func TestReadIsBounded(t *testing.T) {
	const most = 64 << 20
	var e endless
	data, err := manifest.Read(&e)
	if err != nil || len(data) != most+1 || e.read > most+1 {
		t.Errorf("%d bytes of %d that were read, %v", len(data), e.read, err)
	}
}
