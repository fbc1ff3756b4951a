// Package sandbox starts programs that can use only the files, the network and the system calls
// that they were given, and runs functions that can use only some files. It knows nothing of tools and
// what they declare.
//
// # Guarantees
//
//   - The caller is never restricted: what restricts a program for ever is done on an operating
//     system thread that ends right after the fork, and never on the main thread.
//   - A program is in its sandbox, and under its [Limits], before its first instruction, with all
//     that it starts, and none of them can leave it.
//   - Three layers, each of which holds without the others: Landlock (files, TCP ports, signals,
//     abstract sockets), seccomp (sockets, namespaces, tracing, io_uring and others) and the
//     capabilities of root. A layer that the system lacks is told by [Probe], never passed over
//     in silence: [Sandbox.Layers] says what is held.
//   - A root is what is at its path when a program is started: what the path is made to lead to
//     after that changes nothing. A symbolic link below a root's base is an error.
//   - A function of ours ([Threads]) is held by Landlock, and by its user, on a thread of its own. Other
//     goroutines are not, and neither are those that it starts. No system call is refused to it.
//   - It works for every user. As root, the program stays root without its capabilities: the
//     files of other users are then as closed to it as their modes say.
//
// # What it does not hold
//
// The status of every file can be seen (stat), and a file of the same user outside the roots
// can get another mode, owner or time: against that, only another user helps. Limits of a
// process are for each process of the program, except for Processes. Older kernels hold less:
// see [Gaps].
//
// # Reading order
//
// rules.go (what can be said), sandbox_linux.go (the start), thread_linux.go (where it happens),
// prepared_linux.go and view_linux.go (what is made in advance, and until when it holds),
// landlock_linux.go, ruleset_linux.go and roots_linux.go (files), filter_linux.go,
// filter_others_linux.go (what reaches other processes) and program_linux.go (system calls),
// capabilities_linux.go; function_linux.go (functions instead of programs); facts.go and probe_linux.go
// (what a system has).
//
// Some things only the process itself can do before its program begins. For them a shim is started
// as this process (startshim_linux.go), which is told what to do (order_linux.go), does it and becomes
// the program (shim_linux.go): a program of ours must then be one that calls [RunShim]. They are:
//
//   - Limits: limited_linux.go, limits_linux.go, group_linux.go (counting processes) and
//     groups_linux.go (the end of the groups, [Sandbox.Ended]). [New] refuses limits without a shim:
//     nothing is limited a moment too late in silence.
//   - A network of a program's own, with a listener of ours in it and no other way out, where we are
//     not root: inside_linux.go. As root it is made in advance: namespace.go, namespace_linux.go.
//
// There is no sandbox on systems other than Linux.
package sandbox
