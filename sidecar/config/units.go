package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// unit is one suffix of a size. Decimal and binary ones are different numbers,
// as their names say.
type unit struct {
	suffix string
	bytes  int64
}

func units() []unit {
	return []unit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
	}
}

// parseSize reads a number of bytes with or without a unit: 512, 200KB, 8MiB,
// 1.5GiB. Letters may be of either case.
func parseSize(s string) (int64, error) {
	bad := fmt.Errorf("is not a size; write one such as 8MiB, 200KB or 1048576")
	digits, factor := strings.TrimSpace(s), int64(1)
	for _, u := range units() {
		if n := len(digits) - len(u.suffix); n > 0 && strings.EqualFold(digits[n:], u.suffix) {
			digits, factor = strings.TrimSpace(digits[:n]), u.bytes
			break
		}
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		if n < 0 || n > math.MaxInt64/factor {
			return 0, bad
		}
		return n * factor, nil
	}
	if strings.Trim(digits, "0123456789.") != "" {
		return 0, bad // no exponents, no infinities
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || f*float64(factor) >= math.MaxInt64 {
		return 0, bad
	}
	return int64(f * float64(factor)), nil
}

// formatSize writes a size in the largest unit that divides it.
func formatSize(n int64) string {
	for _, u := range []unit{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// parseDuration reads 90s, 1h30m or 250ms. A bare number has no unit and is
// refused, but for 0.
func parseDuration(s string, z zero) (time.Duration, error) {
	example := "write one such as 500ms, 30s or 1h30m"
	if z == zeroMeansNone {
		example += ", or none"
	}
	if s == "none" && z == zeroMeansNone {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return 0, fmt.Errorf("has no unit; write %ss or %sms", s, s)
		}
		return 0, errors.New("is not a duration; " + example)
	}
	if d < 0 {
		return 0, errors.New("is negative; " + example)
	}
	if d == 0 && z == positive {
		return 0, errors.New("would leave no time at all; " + example)
	}
	return d, nil
}

// formatDuration drops the zero units that time.Duration prints: 30m, not
// 30m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// milliseconds turns the platform's bare number into a duration.
func milliseconds(s string) (string, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return "", errors.New("is not a whole number of milliseconds; write one such as 5000")
	}
	return strconv.FormatUint(n, 10) + "ms", nil
}
