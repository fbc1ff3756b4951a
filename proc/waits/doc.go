// Package waits tells what the processes in the foreground of a terminal wait for: a key or a
// line of that terminal, or something else. It asks the kernel (/proc), and no process notices.
//
// # Guarantees
//
//   - [Terminal.Look] opens, reads and signals nothing of the terminal: no process sees an end
//     of input, a hang-up or a key because somebody looked.
//   - A look has limits: 512 processes, 4,096 threads, 1,024 descriptors of a poll, and 30 ms of
//     a processor. What is beyond them counts as hidden, never as ready.
//   - What a look says was true at one moment during it. Two looks with the same [Look.Switches]
//     say that no process has woken in between.
//   - Nothing is kept between looks, but for the memory that one needs.
//
// # Reading order
//
// waits.go (what a look says), then for Linux look_linux.go (the processes of the foreground),
// family_linux.go (which these are), thread_linux.go (what a thread waits for), set_linux.go
// (which descriptors it waits for) and calls_linux.go (the numbers of the system calls). Other systems tell nothing of this: there a
// look is always Hidden.
package waits
