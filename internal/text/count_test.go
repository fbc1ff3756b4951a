package text_test

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

func ExampleCount() {
	fmt.Println(text.Count(0, "tool"), text.Count(1, "tool"), text.Count(2, "tool"), text.CountOf(2, "property", "properties"))
	// Output: 0 tools 1 tool 2 tools 2 properties
}
