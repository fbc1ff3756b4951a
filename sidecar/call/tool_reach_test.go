package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// runReach is the tool "reach": it tries each way that it is given and prints what comes of it.
// "proxy URL" by its proxy, "with PROXY URL" by another one, "tcp ADDRESS" and "udp ADDRESS" without
// any, and "dns ADDRESS" asks that server for a name.
func runReach(ways []string) {
	said := map[string]string{}
	for _, way := range ways {
		f := strings.Fields(way)
		switch f[0] {
		case "proxy":
			said[way] = fetch(os.Getenv("http_proxy"), f[1])
		case "with":
			said[way] = fetch(f[1], f[2])
		case "tcp", "udp":
			said[way] = converse(f[0], f[1])
		case "dns":
			said[way] = resolve(f[1])
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(said)
}

// runHold listens, says where its proxy is, and waits for the end of the call.
func runHold(address string) {
	l, err := net.Listen("tcp", address)
	fmt.Println(os.Getenv("http_proxy"), err == nil)
	if err == nil {
		defer l.Close()
	}
	forever()
}

// fetch asks for a URL by a proxy and returns the status and the body.
func fetch(proxy, target string) string {
	by, err := url.Parse(proxy)
	if err != nil || proxy == "" {
		return "no proxy"
	}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(by)}, Timeout: 10 * time.Second}
	res, err := client.Get(target)
	if err != nil {
		return "error"
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	return fmt.Sprint(res.StatusCode, " ", string(body))
}

// converse says a word to an address and returns the answer.
func converse(network, address string) string {
	conn, err := net.DialTimeout(network, address, 3*time.Second)
	if err != nil {
		return "no"
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return "no"
	}
	b := make([]byte, 8)
	if _, err := io.ReadFull(conn, b); err != nil {
		return "no"
	}
	return "yes"
}

// resolve asks a server of names.
func resolve(server string) string {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, server)
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if _, err := r.LookupNetIP(ctx, "ip4", "name.example."); err != nil {
		return "no"
	}
	return "yes"
}

// answerName returns the answer of a server of names to a query for one: 192.0.2.1.
func answerName(query []byte) []byte {
	end := 12
	for end < len(query) && query[end] != 0 {
		end += 1 + int(query[end])
	}
	end += 5 // the type and the class
	if len(query) < end {
		return nil
	}
	answer := append([]byte{}, query[:end]...)
	copy(answer[2:], []byte{0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0})
	return append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1)
}
