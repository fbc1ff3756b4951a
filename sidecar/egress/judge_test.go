package egress_test

import (
	"bufio"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// Each target, asked for in each way, is connected to or refused; what was refused by its name is
// not even resolved.
func TestTargets(t *testing.T) {
	const patterns = "api.example.com *.cdn.example.com odd.example.com:8443 mixed.example.com inside.example.com internal.example.com 10.0.0.0/8 9.9.9.9:53 [fd00::1]:8080 localhost:9"
	for _, c := range []struct {
		host   string
		port   uint16
		dialed string // "": refused
		reason string
	}{
		{"api.example.com", 443, "8.8.8.8:443", ""},
		{"API.example.com.", 80, "8.8.8.8:80", ""},
		{"six.cdn.example.com", 443, "[2606:4700::1]:443", ""},
		{"a.six.cdn.example.com", 443, "", "no pattern"},
		{"odd.example.com", 8443, "8.8.8.8:8443", ""},
		{"odd.example.com", 443, "", "no pattern"},
		{"api.example.com", 22, "", "no pattern"},
		{"other.example.com", 443, "", "no pattern"},
		{"8.8.8.8", 443, "", "no pattern"},
		{"2606:4700::1", 443, "", "no pattern"},
		{"9.9.9.9", 53, "9.9.9.9:53", ""},
		{"9.9.9.9", 443, "", "no pattern"},
		{"fd00::1", 8080, "[fd00::1]:8080", ""},
		{"fd00::2", 8080, "", "no pattern"},
		{"127.0.0.1", 443, "", "no pattern"},
		{"::1", 80, "", "no pattern"},
		{"::ffff:127.0.0.1", 80, "", "no pattern"},
		{"169.254.169.254", 80, "", "no pattern"},
		{"inside.example.com", 443, "10.1.2.3:443", ""},
		{"internal.example.com", 443, "", "its address is private"},
		{"mixed.example.com", 443, "8.8.8.8:443", ""},
		{"localhost", 9, "127.0.0.1:9", ""},
		{"127.1", 443, "", "must not end in a number"},
		{"api.example.com", 0, "", "port 0"},
	} {
		for _, way := range []string{"connect", "forward", "socks"} {
			if way == "forward" && c.port == 0 {
				continue // net/url has no port 0 of its own
			}
			name := way + " " + c.host + " " + strconv.Itoa(int(c.port))
			r := newRig(t, patterns, func(r *rig, _ *egress.Options) {
				r.names["api.example.com"] = [][]string{{"8.8.8.8"}}
				r.names["odd.example.com"] = [][]string{{"8.8.8.8"}}
				r.names["six.cdn.example.com"] = [][]string{{"2606:4700::1"}}
				r.names["inside.example.com"] = [][]string{{"10.1.2.3"}}
				r.names["internal.example.com"] = [][]string{{"192.168.1.1", "169.254.169.254"}}
				r.names["mixed.example.com"] = [][]string{{"192.168.1.1", "8.8.8.8"}}
				r.names["localhost"] = [][]string{{"127.0.0.1"}}
				if way == "forward" {
					r.serve = ok
				}
			})
			granted := ask(t, r, way, c.host, c.port)
			resolved, dialed, told := r.seen()
			if granted != (c.dialed != "") {
				t.Errorf("%s: granted %v", name, granted)
			}
			if got := strings.Join(dialed, ","); got != c.dialed {
				t.Errorf("%s: dialed %q, want %q", name, got, c.dialed)
			}
			if len(resolved) > 1 || strings.Contains(c.reason, "no pattern") && len(resolved) > 0 {
				t.Errorf("%s: resolved %q", name, resolved)
			}
			if len(told) != 1 {
				t.Fatalf("%s: told %+v", name, told)
			}
			a := told[0]
			if a.Host != c.host && a.Host != strings.TrimPrefix(c.host, "::ffff:") && way != "socks" || a.Port != c.port || a.Allowed != granted || !strings.Contains(a.Reason, c.reason) || granted != (a.Reason == "") {
				t.Errorf("%s: told %+v", name, a)
			}
			if granted && net.JoinHostPort(a.Address.String(), strconv.Itoa(int(a.Port))) != c.dialed {
				t.Errorf("%s: told that %s was dialed", name, a.Address)
			}
		}
	}
}

// ask asks for a target and reports whether it was granted.
func ask(t *testing.T, r *rig, way, host string, port uint16) bool {
	t.Helper()
	at := net.JoinHostPort(host, strconv.Itoa(int(port)))
	switch way {
	case "connect":
		conn, br, code := r.connected(at, r.secret())
		if code == 200 {
			says(t, conn, br, "hello")
		} else if code != 403 {
			t.Errorf("%s: %d", at, code)
		}
		return code == 200
	case "socks":
		conn, reply := r.sock(host, port, r.secret())
		if reply == 0 {
			says(t, conn, conn, "hello")
		} else if reply != 2 {
			t.Errorf("%s: reply %d", at, reply)
		}
		return reply == 0
	}
	conn := r.dial()
	go io.WriteString(conn, "GET http://"+at+"/x HTTP/1.1\r\nHost: elsewhere\r\n"+basic(r.secret())+"\r\n")
	code := status(t, bufio.NewReader(conn))
	if code != 200 && code != 403 {
		t.Errorf("%s: %d", at, code)
	}
	return code == 200
}

// ok plays a server that answers every request with 200.
func ok(conn net.Conn) {
	br := bufio.NewReader(conn)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return
		}
		if line == "\r\n" {
			break
		}
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
}

// A name that means another address a moment later is resolved once for each connection, and the
// address that was judged is the one that is dialed.
func TestResolvedOnce(t *testing.T) {
	r := newRig(t, "rebind.example.com", func(r *rig, _ *egress.Options) {
		r.names["rebind.example.com"] = [][]string{{"8.8.8.8"}, {"127.0.0.1"}}
	})
	conn, br, code := r.connected("rebind.example.com:443", r.secret())
	if code != 200 {
		t.Fatal(code)
	}
	says(t, conn, br, "hello")
	if _, _, code := r.connected("rebind.example.com:443", r.secret()); code != 403 {
		t.Errorf("the second time: %d", code)
	}
	resolved, dialed, _ := r.seen()
	if len(resolved) != 2 || !slices.Equal(dialed, []string{"8.8.8.8:443"}) {
		t.Errorf("resolved %q, dialed %q", resolved, dialed)
	}
}

// An address that does not answer is not the end, but not every address is tried.
func TestNextAddress(t *testing.T) {
	r := newRig(t, "*", func(r *rig, _ *egress.Options) {
		r.names["second.example.com"] = [][]string{{"2606:4700::1", "8.8.8.8"}}
		r.names["dead.example.com"] = [][]string{{"1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.5"}}
		r.down["2606:4700::1"] = true
		for _, ip := range r.names["dead.example.com"][0] {
			r.down[ip] = true
		}
	})
	if _, reply := r.sock("second.example.com", 443, r.secret()); reply != 0 {
		t.Errorf("the second address: %d", reply)
	}
	if _, reply := r.sock("dead.example.com", 443, r.secret()); reply != 1 {
		t.Errorf("no address: %d", reply)
	}
	if _, reply := r.sock("unknown.example.com", 443, r.secret()); reply != 4 {
		t.Errorf("no such name: %d", reply)
	}
	if _, _, code := r.connected("unknown.example.com:443", r.secret()); code != 502 {
		t.Errorf("no such name: %d", code)
	}
	_, dialed, told := r.seen()
	if len(dialed) != 2+4 {
		t.Errorf("dialed %q", dialed)
	}
	for _, a := range told {
		if !a.Allowed || (a.Reason == "") != (a.Host == "second.example.com") {
			t.Errorf("told %+v", a)
		}
	}
}

// Another call's secret is of no use, whatever it asks for.
func TestSecret(t *testing.T) {
	other := newRig(t, "*")
	r := newRig(t, "*", func(r *rig, _ *egress.Options) { r.names["a.example"] = [][]string{{"8.8.8.8"}} })
	if r.secret() == other.secret() {
		t.Fatal("two calls have one secret")
	}
	for secret, want := range map[string]int{r.secret(): 200, other.secret(): 407, "": 407, "x": 407} {
		if _, _, code := r.connected("a.example:443", secret); code != want {
			t.Errorf("secret %q: %d, want %d", secret, code, want)
		}
	}
	if _, reply := r.sock("a.example", 443, other.secret()); reply != -1 {
		t.Errorf("the other call's secret: %d", reply)
	}
	conn := r.dial()
	go conn.Write([]byte{5, 1, 0}) // no password
	if b, err := io.ReadAll(conn); string(b) != "\x05\xff" || err != nil {
		t.Errorf("without a password: %q, %v", b, err)
	}
	_, dialed, told := r.seen()
	wrong := 0
	for _, a := range told {
		if !a.Allowed && strings.Contains(a.Reason, "secret") {
			wrong++
		}
	}
	if len(dialed) != 1 || wrong != 3 || len(told) != 4 {
		t.Errorf("dialed %q, told %+v", dialed, told)
	}
}
