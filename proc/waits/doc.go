// Package waits tells what the processes in the foreground of a terminal wait for: a key or a
// line of that terminal, or something else. It asks the kernel (/proc), and no process notices.
//
// # Guarantees
//
//   - [Terminal.Look] opens, reads and signals nothing of the terminal: a look causes no end of
//     input, no hang-up and no key.
//   - A look is limited to 512 processes, 4,096 threads, 1,024 descriptors of each wait, and 30 ms
//     of processor time. It takes what is beyond these limits for hidden or for busy with other
//     things, and never for a program that only waits for input.
//   - A look describes one moment while it ran. If two looks have equal [Look.Switches], no
//     waiting thread ran between them.
//   - Looks share no state.
//   - A look may block: it reads memory of the processes, and a page of that memory may come from
//     a file system that does not answer. A caller that must not hang makes the call in a
//     goroutine.
//
// # Reading order
//
// waits.go (what a look says), then for Linux look_linux.go (the processes of the foreground),
// limits_linux.go (what a look may cost), family_linux.go (which processes are in the foreground),
// thread_linux.go (what a thread waits for), set_linux.go and descriptor_linux.go (which
// descriptors it waits for) and calls_linux.go (the numbers of the system calls). Other systems
// tell nothing of this: there a look is always Hidden.
package waits
