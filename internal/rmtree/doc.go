// Package rmtree removes directories with all that is in them, as os.RemoveAll does,
// and never what is mounted there.
//
// # Guarantees
//
//   - Links are removed, never followed. A path that does not exist is not an error.
//   - A directory on which something is mounted, even by a bind mount of the same file
//     system, is never entered: its content, and the path to it, stay.
//   - If something cannot be removed, it stays, the rest is removed, and the error
//     names it.
//   - A directory of any size takes the memory of 1,024 names, and a tree of any depth
//     takes two descriptors.
//
// Begin with remove.go; remove_walk.go goes through the tree.
package rmtree
