package tty

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
)

// Pieces of all sizes go round several times and come out in order, whoever is
// faster.
func TestRing(t *testing.T) {
	r := newRing()
	in := make([]byte, 5*ringSize+12345)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	var writing sync.WaitGroup
	writing.Go(func() {
		defer r.end()
		for left := in; len(left) > 0; {
			room := r.room()
			n := copy(room[:min(len(room), 1+rng.IntN(70000))], left)
			left = left[n:]
			r.added(n)
		}
	})
	var out bytes.Buffer
	sizes := rand.New(rand.NewPCG(3, 4))
	for chunk := r.filled(); chunk != nil; chunk = r.filled() {
		if len(chunk) > ringChunk {
			t.Fatalf("a chunk of %d bytes", len(chunk))
		}
		n := min(len(chunk), 1+sizes.IntN(ringChunk))
		out.Write(chunk[:n])
		r.taken(n)
	}
	writing.Wait()
	if !bytes.Equal(out.Bytes(), in) {
		t.Error("not what went in")
	}
}
