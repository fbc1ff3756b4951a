// Package a2atest is what the tests of the packages below a2a share: an agent in memory
// ([Fake]), streams that a test feeds ([Live]), the requests of transcripts ([Exchange])
// and a parser as strict as that of protocol buffers ([StrictParser]). Only tests import
// it.
package a2atest
