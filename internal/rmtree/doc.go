// Package rmtree removes directories with all that is in them, as os.RemoveAll does,
// and never what is mounted there.
//
// # Guarantees
//
//   - Links are removed, never followed. A path that does not exist is no error.
//   - A directory on which something is mounted, a bind mount of the same file system
//     included, is never entered: what is in it, and the way to it, stay.
//   - What cannot be removed stays while the rest goes, and the error says what.
//   - A directory of any size takes the memory of one of 1,024 names, and a tree of
//     any depth two descriptors.
//
// Begin with remove.go; remove_walk.go goes through the tree.
package rmtree
