//go:build !race

package surface_test

// slow is how many times longer everything may take here.
const slow = 1
