package spec

import "strings"

// IsImage reports whether a media type, with or without parameters, is of the images that models read. Another
// image reaches an agent as a file.
func IsImage(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
