// Package state finds out what an agent is doing: from its own reports, escape
// sequences, what the kernel says that it waits for, the screen as its profile reads
// it, the terminal's modes and, last of all, silence.
//
// A [Detector] is pure: it has no goroutine, no clock and no lock, and belongs to
// one goroutine at a time. What it remembers is bounded.
//
// Read detector_verdict.go for what goes in and comes out, detector.go for the
// order in which sources are believed, detector_claim.go for what one of them
// says, detector_kernel.go for what the program waits for, detector_prompt.go for how
// a prompt differs from a question, detector_motion.go for what moves on the screen,
// and detector_weigh.go and detector_settle.go for the decision.
package state
