package server

import (
	"fmt"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// A client that makes up addresses cannot fill the memory, and pushes nothing
// out that is not made again.
func TestCardCacheIsBounded(t *testing.T) {
	var c cardCache
	card := &a2a.Card{Name: "fake"}
	first := c.get(card, "http://first", nil)
	for i := range 100 * maxCards {
		c.get(card, fmt.Sprint("http://host", i), nil)
		if len(c.docs) > maxCards {
			t.Fatalf("%d cards after %d addresses", len(c.docs), i)
		}
	}
	again := c.get(card, "http://first", nil)
	if again.ETag != first.ETag || c.get(card, "http://first", nil) != again {
		t.Error("the card of an address changed")
	}
	if c.get(card, "http://first", codec.REST(a2a.V10)) == again {
		t.Error("two forms of a card are one document")
	}
	if other := c.get(&a2a.Card{Name: "other"}, "http://first", nil); other.ETag == first.ETag {
		t.Error("a new card has the old one's document")
	}
}
