package platform

import "time"

// The limits of what a turn has of the platform.
const (
	// maxTools is how many tools of the platform's are kept; those after them are left out.
	maxTools = 1_000
	// maxMessage is the longest message that is taken from the platform, in bytes.
	maxMessage = 8 << 20
	// startTimeout limits the connection, the handshake and the list together.
	startTimeout = 15 * time.Second
	// retryAfter is how soon after a failure the platform is asked again, if somebody wants its
	// tools.
	retryAfter = time.Second
	// maxProblem is the longest text of a problem, in bytes.
	maxProblem = 512
	// maxHeader bounds the headers of an answer, in bytes.
	maxHeader = 64 << 10
	// tokenMin and tokenMax are the shortest and the longest token, in bytes. A shorter one could
	// not be told from words where it is repeated.
	tokenMin, tokenMax = 8, 8 << 10
)
