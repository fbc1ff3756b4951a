package procfs

import (
	"os"
	"strconv"
)

// numbers returns the entries of a directory that are numbers.
func numbers(dir string) []int {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what was read is what there is
	list := make([]int, 0, len(names))
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	return list
}
