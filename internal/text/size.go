package text

import (
	"math"
	"strconv"
	"strings"
)

// unit is one suffix of a size. Decimal and binary units are different numbers, as
// their names say.
type unit struct {
	suffix string
	bytes  int64
}

// units returns them from the largest to the smallest.
func units() []unit {
	return []unit{
		{"GiB", 1 << 30}, {"GB", 1e9}, {"MiB", 1 << 20}, {"MB", 1e6}, {"KiB", 1 << 10}, {"KB", 1e3}, {"B", 1},
	}
}

// ParseSize reads a number of bytes with or without a unit: 512, 200KB, "8 MiB",
// 1.5GiB. The unit's letters may be of either case. ok is false if s is not a size,
// or is a fraction of one byte, or too large to count.
func ParseSize(s string) (n int64, ok bool) {
	digits, factor := strings.TrimSpace(s), int64(1)
	for _, u := range units() {
		if n := len(digits) - len(u.suffix); n > 0 && strings.EqualFold(digits[n:], u.suffix) {
			digits, factor = strings.TrimSpace(digits[:n]), u.bytes
			break
		}
	}
	if strings.Trim(digits, "0123456789.") != "" {
		return 0, false // no signs, no exponents, no infinities
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n * factor, n <= math.MaxInt64/factor
	}
	f, err := strconv.ParseFloat(digits, 64)
	if bytes := f * float64(factor); err == nil && bytes < math.MaxInt64 && (f == 0 || bytes >= 1) {
		return int64(bytes), true
	}
	return 0, false
}

// FormatSize writes a size in the largest unit that divides it, as ParseSize reads it.
func FormatSize(n int64) string {
	for _, u := range units() {
		if u.bytes > 1 && n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}
