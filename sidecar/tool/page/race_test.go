//go:build race

package page_test

// long is how many bytes a hostile page has: the detector of races makes all of it many times slower.
const long = 1 << 17
