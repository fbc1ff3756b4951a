package search

// The limits of a search and of an index. What exceeds one is left out, not refused: the
// best hits come from what remains.
const (
	// MaxQuery is how many bytes of a query are read.
	MaxQuery = 1 << 10
	// MaxWords is how many words of a query count.
	MaxWords = 24
	// DefaultLimit is how many hits a search returns that names no limit.
	DefaultLimit = 10
	// MaxLimit is how many hits a search returns at most.
	MaxLimit = 100

	// maxDescription is how many bytes of a description are indexed.
	maxDescription = 2 << 10
	// maxArguments is how many argument names of a tool are indexed.
	maxArguments = 64
	// maxWord is the longest word in bytes; longer ones are cut.
	maxWord = 48

	// maxCompleted is how many words half a word is completed to.
	maxCompleted = 24
	// maxCorrected is how many words a misspelled word is corrected to.
	maxCorrected = 4
	// maxPostings is how many entries of the index one search reads. It bounds the time of
	// the worst query; the words that are in most tools are left out first.
	maxPostings = 200_000
)
