package proctest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// WithEntry returns the living processes that have an entry in their environment.
func WithEntry(entry string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, _ := os.ReadFile(f)
		if bytes.Contains(env, []byte(entry)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}
