// Package profile holds what is known of an agent at a terminal, as data: how it
// is started and typed to, what its screen looks like while it is ready, works or
// asks, and how a question on the screen is answered. [Load] and [For] find the
// profile of an agent; a user may give a file.
//
// What the package guarantees:
//
//   - A profile file is read strictly: every fault has its file, line, JSON
//     pointer and what to do about it.
//   - [Profile.Match] and [Profile.Question] look at a bounded number of rows,
//     never panic and use time linear in what they look at.
//   - A question is only read in the place where an agent asks one: below everything
//     else, with the marker on one of its options. A similar text further up is text.
//   - A [Profile] is never changed and may be used by any goroutine.
//
// Read profile.go and answer.go for what a profile says (README.md says the same
// for the author of one); load.go, decode.go and check.go for how it is read;
// start.go for the agent's start; view.go, match.go, question.go, ask.go and
// prompt.go for what is made of a screen.
package profile
