package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseDuration reads durations such as 90s, 1h30m or 250ms. A bare number has no
// unit and is refused, except 0.
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

// formatDuration omits the zero units that time.Duration prints: 30m, not 30m0s.
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
