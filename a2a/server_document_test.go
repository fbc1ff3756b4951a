package a2a

import (
	"fmt"
	"testing"
)

// A client that makes up addresses cannot fill the memory, and pushes nothing
// out that is not made again.
func TestCardCacheIsBounded(t *testing.T) {
	var c cardCache
	card := &Card{Name: "fake"}
	first := c.get(card, "http://first")
	for i := range 100 * maxCards {
		c.get(card, fmt.Sprint("http://host", i))
		if len(c.docs) > maxCards {
			t.Fatalf("%d cards after %d addresses", len(c.docs), i)
		}
	}
	again := c.get(card, "http://first")
	if again.ETag != first.ETag || c.get(card, "http://first") != again {
		t.Error("the card of an address changed")
	}
	if other := c.get(&Card{Name: "other"}, "http://first"); other.ETag == first.ETag {
		t.Error("a new card has the old one's document")
	}
}
