// Package tree starts a process and finds, signals and kills everything that descends from it.
// It knows nothing of commands, users' names, pipes and output.
//
// # Guarantees
//
//   - After [Tree.Stop] or [Tree.Kill] no process of the tree is alive, even if it ignored
//     SIGTERM, left the process group or session, was orphaned, changed its environment, or
//     forks faster than anyone can look (Linux). If no process can be seen (no /proc), the
//     process and its group end.
//   - Stop is a ladder: SIGTERM to the group; in a terminal SIGHUP 250 ms later; after the grace
//     SIGKILL to all. All calls share one climb. It ends 1.5 s after the last kill at the latest.
//   - A signal never reaches a process that merely got a recycled pid.
//   - Nothing but the tree is signalled: a process belongs to it by descent, group, session, tag
//     or, without a tag, marker.
//   - What is left running by a process that ended by itself is left alone, and counted by
//     [Tree.Background].
//   - Each process has one waiter, which calls [Tree.Wait]; the package starts no goroutine.
//
// # Reading order
//
// tree.go and tree_linux.go (a process and its end), ladder.go (the stop), finder_linux.go
// (the members), kill_linux.go and chase_linux.go (killing them), cgroup_linux.go (the group
// that helps, where one can be made), background_linux.go, lineage_linux.go (whose a pid is).
//
// On darwin there is no /proc and no subreaper: a tree is its process group.
package tree
