// Package unseen has no code of its own: its tests drive programs of which the sidecar
// has no profile, and count what a client gets from them.
//
// testdata/programs.json is the list: REPLs, shells, programs that ask, full-screen
// programs and agents. Each has the messages that are sent to it, and for each what
// comes back: an exact answer ({*} stands for any text), a question with its options
// and the reply to it, or a screen. The list was there before the first rule that it
// measures; a program is never taken out of it because it fails.
// testdata/heldout.json is a further list of the same form. Its programs were chosen and run when the
// rules for the first list were done: what they showed was mended after that.
// testdata/strangers.json are the agents of package strangers, which the test plays itself.
//
// .ci/unseen runs the tests where there is no network but loopback; without it they are
// skipped. It takes the steps of testdata/held.txt, which were right once and have to
// stay right. make unseen takes the whole list, installs the agents, and prints a table.
//
// Reading order: unseen_test.go (the run), step_test.go (a step and how it is judged),
// turn_test.go (a message and what comes back), record_test.go (the real end of a turn,
// from the recording of the terminal), table_test.go, rig_test.go (a program under a
// sidecar), place_test.go, server_test.go and model_test.go (what it needs around it).
package unseen
