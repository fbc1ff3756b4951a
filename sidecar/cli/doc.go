// Package cli is the command line: one file per command, and the rules that
// they share.
//
//   - The tree is built by a function (root.go); nothing runs at init.
//   - Every error is printed in one place (Main), with a hint where there is
//     one, and every command says in its help which codes it exits with
//     (exit.go has the table).
//   - What comes from a server or an agent is cleaned before it reaches a
//     terminal, and left as it is for a pipe (text.go).
//   - The clients (send, call, tools, status, attach, introspect, healthcheck) use
//     what anybody can use: the server's HTTP interface. emit and ask use the
//     channel; validate and detect need no sidecar.
//
// Reading order: cli.go, root.go, exit.go, then any command.
package cli
