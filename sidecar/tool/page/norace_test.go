//go:build !race

package page_test

// long is how many bytes a hostile page has.
const long = 1 << 20
