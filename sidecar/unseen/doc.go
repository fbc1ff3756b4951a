// Package unseen has no code of its own: its tests drive programs of which the sidecar
// has no profile, and count what a client gets from them.
//
// testdata/programs.json is the list: REPLs, shells, programs that ask, full-screen
// programs and agents. Each has the messages that are sent to it, and for each what
// comes back: an exact answer ({*} stands for any text), a question with its options
// and the reply to it, or a screen. The list was there before the first rule that it
// measures; a program is never taken out of it because it fails.
package unseen
