// Package config says what a sidecar is told to do: by flags, by environment
// variables, by a file, or by default, and which of them it was.
//
// One table, Settings, is the source of all that is said about a setting: its
// flag, its variable, its key in the file, its default, its help and its row
// in the topic "settings". A setting is found in this order:
//
//	flag > SIDECAR_X_Y > the platform's name > file > default
//
// An empty variable is unset. Nothing is skipped in silence: every fault of
// every source is reported at once, each with where the value came from and
// what would be right; what is only suspicious is a warning.
//
// Load is a pure function of its Sources, apart from reading the files that
// the settings name. A Config is a plain value: copy it as you like.
//
// Reading order: config.go (the result), settings.go (the table), load.go (the
// order of the sources), command.go (what to run), auto.go (the mode that suits it), host.go
// (where to listen).
package config
