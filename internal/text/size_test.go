package text_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

func TestSizes(t *testing.T) {
	for in, want := range map[string]struct {
		bytes int64
		shown string
	}{
		"0": {0, "0"}, "1": {1, "1"}, "1B": {1, "1"}, "4096": {4096, "4KiB"}, "007": {7, "7"},
		"200KB": {200_000, "200KB"}, "1MB": {1e6, "1MB"}, "2GB": {2e9, "2GB"}, "1kb": {1000, "1KB"},
		"1KiB": {1 << 10, "1KiB"}, "8 MiB": {8 << 20, "8MiB"}, " 1gib ": {1 << 30, "1GiB"},
		"1.5mb": {1_500_000, "1500KB"}, "1.5GiB": {3 << 29, "1536MiB"}, "0.1KiB": {102, "102"}, "0.0": {0, "0"},
		"9223372036854775807": {math.MaxInt64, "9223372036854775807"}, "8589934591GiB": {8589934591 << 30, "8589934591GiB"},
	} {
		got, ok := text.ParseSize(in)
		if !ok || got != want.bytes {
			t.Errorf("ParseSize(%q) = %d, %t, want %d", in, got, ok, want.bytes)
		}
		shown := text.FormatSize(got)
		if shown != want.shown {
			t.Errorf("FormatSize(%d) = %q, want %q", got, shown, want.shown)
		}
		if again, ok := text.ParseSize(shown); !ok || again != got {
			t.Errorf("%q is written %q, which is %d, %t", in, shown, again, ok)
		}
	}
	for _, in := range []string{
		"", " ", "B", "KB", "-1", "-1KB", "+1", "1e3", "1e3KB", "inf", "NaN", "0x10", "1_000", "1,5MB", "1.2.3", ".",
		"1TB", "1K", "1 M", "1KBKB", "8MiBs", "0.5", "0.0001KB",
		"9223372036854775808", "8589934592GiB", "9999999999GiB", "99999999999999999999.5GB",
	} {
		if n, ok := text.ParseSize(in); ok {
			t.Errorf("ParseSize(%q) = %d", in, n)
		}
	}
}

func ExampleParseSize() {
	n, _ := text.ParseSize("1.5mb")
	fmt.Println(n, text.FormatSize(n))
	// Output: 1500000 1500KB
}
