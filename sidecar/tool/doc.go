// Package tool is the tools that the sidecar brings: small ones, with the names that models know.
//
// Guarantees:
//
//   - A tool is a [Tool]: a definition like any other, with what it requires, and a function. It goes
//     through the stages of every call; what it is given has been checked, judged and allowed.
//   - A tool touches nothing of the machine but by its [Call]: its files, its network and its shell, each
//     of which is there only if the tool requires it, and does no more than what was judged. This package
//     and package filesearch import neither os nor net.
//   - Its canonical name is "core.ID"; models see the ID. In rules both are one tool.
//   - A tool that fails returns an error in words for the model: what is wrong, and what to do instead.
//
// The engine of glob and grep is package filesearch; searching.go gives it the files of a call.
//
// apply_patch.go computes what the files of a patch will have, by package patch, and apply_patch_write.go writes all of them or none.
//
// One file is one tool. Read tool.go and call.go first, then any tool.
package tool
