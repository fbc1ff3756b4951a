package terminal_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/term"
)

// asAgent makes this test binary the agent.
const asAgent = "TERMINAL_TEST_AGENT"

func TestMain(m *testing.M) {
	if os.Getenv(asAgent) != "" {
		os.Exit(agent())
	}
	os.Exit(m.Run())
}

// agent does what the lines say that are typed to it, and says "> " when it is
// ready for the next:
//
//	write "…"   writes that, with Go's escapes
//	flood N T   writes N numbered lines of 100 bytes, and how long T took
//	secret      asks for a password
//	halves "…" "…"  writes the first, and at a key the second
//	raw N       reads N keys and tells them in hex
//	exit N      ends
//
// Any other line is told back.
func agent() int {
	in := bufio.NewReader(os.Stdin)
	for {
		fmt.Print("> ")
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		what, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, _ := strconv.Atoi(rest)
		switch what {
		case "write":
			text, err := strconv.Unquote(rest)
			if err != nil {
				return 1
			}
			fmt.Print(text)
		case "flood":
			count, name, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(count)
			flood(n, name)
		case "secret":
			if err := secret(); err != nil {
				return 1
			}
		case "halves":
			if err := halves(rest); err != nil {
				return 1
			}
		case "raw":
			if err := readRaw(n); err != nil {
				return 1
			}
		case "exit":
			return n
		default:
			fmt.Printf("got %s.\n", strings.TrimSuffix(line, "\n"))
		}
	}
}

func flood(n int, name string) {
	begin := time.Now()
	out := bufio.NewWriterSize(os.Stdout, 4<<10)
	for i := range n {
		fmt.Fprintf(out, "%08d %s\n", i, strings.Repeat("x", 90))
	}
	out.Flush()
	fmt.Printf("%s took %d ms.\n", name, time.Since(begin).Milliseconds())
}

func readRaw(n int) error {
	old, err := term.MakeRaw(syscall.Stdin)
	if err != nil {
		return err
	}
	defer term.Restore(syscall.Stdin, old)
	fmt.Print("raw\r\n")
	var all []byte
	for buf := make([]byte, 1024); len(all) < n; {
		got, err := os.Stdin.Read(buf)
		if err != nil {
			return err
		}
		all = append(all, buf[:got]...)
	}
	fmt.Printf("keys %x.\r\n", all)
	return nil
}

func halves(both string) error {
	first, err := strconv.QuotedPrefix(both)
	if err != nil {
		return err
	}
	second, err := strconv.Unquote(strings.TrimSpace(both[len(first):]))
	if err != nil {
		return err
	}
	if first, err = strconv.Unquote(first); err != nil {
		return err
	}
	old, err := term.MakeRaw(syscall.Stdin)
	if err != nil {
		return err
	}
	defer term.Restore(syscall.Stdin, old)
	fmt.Print(first)
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return err
	}
	fmt.Print(second, " done\r\n")
	return nil
}

// secret asks when nothing is echoed any more.
func secret() error {
	old, err := term.MakeRaw(syscall.Stdin)
	if err != nil {
		return err
	}
	defer term.Restore(syscall.Stdin, old)
	fmt.Print("Password: ")
	n := 0
	for buf := make([]byte, 1); ; n++ {
		if _, err := os.Stdin.Read(buf); err != nil {
			return err
		}
		if buf[0] == '\r' {
			fmt.Printf("\r\nthanks for %d bytes\r\n", n)
			return nil
		}
	}
}
