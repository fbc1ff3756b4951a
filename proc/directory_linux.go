package proc

import (
	"os"
	"strconv"
)

// names returns the entries of a directory.
func names(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1) // what was read is what there is
	return list
}

// numericNames returns the entries of a directory that are numbers.
func numericNames(dir string) []int {
	names := names(dir)
	list := make([]int, 0, len(names))
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	return list
}
