// Package audit keeps the record of tool calls: who wanted what, what was decided and by
// which rule, and how it ended. It is a file of one line of JSON per record.
//
// Guarantees:
//   - Every call has a record before it is executed and one after it has ended; a call
//     that is never executed has one, with the reason.
//   - The records are a chain: each names the hash of the one before it, over all files
//     that a rotation made. A record that is changed, left out or moved is found, and by
//     the head file also one that is cut off at the end. Whoever can write to all of
//     these files can make another chain: keep the hash that the log tells at the end
//     elsewhere if that matters.
//   - Arguments are not in it, except for what was judged: resolved paths, hosts,
//     commands, and the values that a rule looked at. The rest is a keyed hash, so that
//     equal arguments can be recognized and short ones not guessed. The key is in a file
//     beside the audit that only its owner can read. Whoever records takes secrets out first;
//     a record of whose judged values some were taken out says so, and is not replayed.
//   - One goroutine writes. Before returns after the record was written and, if the
//     audit is strict, after it is on the disk. Otherwise the disk has it within a
//     second.
//   - One process writes to an audit; a second one is refused at the start.
//   - What could not be written is counted, and the next record that can be written
//     says how many are missing. If the audit is strict, a call whose first record
//     cannot be written is refused.
//   - A last line that a crash left half written is cut off at the next start, which the
//     record of that start says.
//
// Read record.go first (what is recorded), line.go (the chain), then writer.go, open.go
// and rotate.go (how it is written), verify.go and read.go (how it is read), replay.go
// (whether the same rules would decide the same).
package audit
