// Package reaper is what an init does: it knows which children of this process were started here
// and waits for all others, the orphans that come to PID 1 or to a subreaper.
//
// # Guarantees
//
//   - There is one reaper per process ([Shared]), because the kernel keeps one list of children
//     per process. It reaps from the first [Reaper.Join] to the last [Reaper.Leave].
//   - A child that was started by [Reaper.Start] or [Register] is never reaped here, not even if
//     it ends before the call returns: its owner takes the exit status and then releases it.
//   - No orphan stays a zombie. One that is hidden behind the zombie of an owner who has not
//     waited yet is reaped after at most 50 ms.
//   - [Reaper.KillOrphans] signals orphans while nothing is reaped, so no pid is reused meanwhile.
//   - The last Leave kills the orphans that are left, except those that are older than the first
//     Join or in our own session, and waits for the goroutine.
//   - A process can get a tag at its start ([Tag]), which all its descendants inherit, whatever
//     they do to their environment, session and parents.
//
// # Reading order
//
// reaper_linux.go (registration and the loop), wait_linux.go (looking without taking a status),
// orphans_linux.go (killing them), tag_linux.go (the tag), register.go.
//
// On darwin orphans go to launchd: nothing is reaped, and there are no tags.
package reaper
