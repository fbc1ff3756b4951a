package manifest

import (
	"math"
	"strconv"
	"strings"
)

// parseSize reads a number of bytes: "4096", "200KB" (thousands), "1MiB"
// (1024s). It returns 0 for what is none, or too large to count.
func parseSize(s string) int64 {
	digits := strings.TrimRight(s, "BKMGTi ")
	unit := strings.TrimSpace(s[len(digits):])
	var factor int64
	switch unit {
	case "", "B":
		factor = 1
	case "KB":
		factor = 1e3
	case "MB":
		factor = 1e6
	case "GB":
		factor = 1e9
	case "KiB":
		factor = 1 << 10
	case "MiB":
		factor = 1 << 20
	case "GiB":
		factor = 1 << 30
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || factor == 0 || n > math.MaxInt64/uint64(factor) {
		return 0
	}
	return int64(n) * factor
}
