package proc_test

import (
	"fmt"
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
)

// A process is started, fed, read and waited for; Stop would end it with all that
// it started.
func ExampleHost_Start() {
	h := proc.NewHost(proc.HostOptions{NoReaper: true})
	defer h.Close()
	child, err := h.Start(proc.Command{Argv: []string{"tr", "a-z", "A-Z"}, Env: os.Environ(), Grace: time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintln(child.Stdin(), "hello")
	child.Stdin().Close()
	exit := child.Output(func(chunk []byte) { fmt.Printf("%s", chunk) }, nil)
	fmt.Println("exit code", exit.Status())
	// Output:
	// HELLO
	// exit code 0
}
