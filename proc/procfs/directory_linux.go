package procfs

import (
	"os"
	"strconv"
)

// Names returns the entries of a directory.
func Names(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(-1) // what was read is what there is
	return list
}

// Numbers returns the entries of a directory that are numbers.
func Numbers(dir string) []int {
	names := Names(dir)
	list := make([]int, 0, len(names))
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	return list
}
