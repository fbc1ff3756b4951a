// Floor is the least that a sidecar can be: a bare net/http server that
// answers a fixed card, echoes, and streams the output of a command as server
// sent events, each chunk encoded as it was read. The benchmarks measure it
// beside the product, in the same run.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

func main() {
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	card := []byte(strings.Repeat("x", 1500))
	http.HandleFunc("GET /.well-known/agent.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(card)
	})
	http.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Write(b)
	})
	http.HandleFunc("POST /stream", func(w http.ResponseWriter, r *http.Request) {
		cmd := exec.Command(os.Args[2], os.Args[3:]...)
		cmd.Stdin = r.Body
		out, err := cmd.StdoutPipe()
		if err != nil {
			panic(err)
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		buf := make([]byte, 32<<10)
		for {
			n, err := out.Read(buf)
			if n > 0 {
				frame, _ := json.Marshal(map[string]string{"text": string(buf[:n])})
				fmt.Fprintf(w, "data: %s\n\n", frame)
				w.(http.Flusher).Flush()
			}
			if err != nil {
				break
			}
		}
		if err := cmd.Wait(); err != nil {
			panic(err)
		}
	})
	panic(http.Serve(l, nil))
}
