// Package golden compares what tests print with files of the repository: transcripts,
// and what is read from recordings. With the flag -update a test writes its files: look
// at every line of the difference. Only tests import it.
package golden
