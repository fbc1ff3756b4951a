package proc_test

import (
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

func platformPrograms() map[string]proctest.Program {
	return map[string]proctest.Program{"dispositions": playDispositions, "undumpable": playUndumpable}
}
