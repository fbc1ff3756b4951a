package oneshot

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// UUID returns a context's id if it is a UUID in its usual form, else a UUID that is made of it and
// always the same: a program that takes no other names for conversations gets it. It is no secret.
func UUID(contextID string) string {
	if isUUID(contextID) {
		return contextID
	}
	sum := sha256.Sum256([]byte("a2a-sidecar context\x00" + contextID))
	sum[6] = sum[6]&0x0f | 0x50 // as a UUID of a name has it (RFC 9562, 5.5): programs look
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
}

// isUUID reports whether s is a UUID in lower case, with a version and a variant that programs know.
func isUUID(s string) bool {
	if len(s) != 36 || s[14] < '1' || s[14] > '8' || !strings.ContainsRune("89ab", rune(s[19])) {
		return false
	}
	for i := range len(s) {
		switch dash := i == 8 || i == 13 || i == 18 || i == 23; {
		case dash != (s[i] == '-'):
			return false
		case !dash && !strings.ContainsRune("0123456789abcdef", rune(s[i])):
			return false
		}
	}
	return true
}
