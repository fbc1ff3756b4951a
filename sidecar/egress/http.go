package egress

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// user is the name that clients show with the secret.
const user = "call"

// http serves one request: CONNECT opens a tunnel, a request with an absolute http URL is passed
// on. The connection ends after it: HTTP has a length for everything, but a client and a target
// that disagree about it must not share a connection.
func (p *Proxy) http(c *client) {
	req, err := http.ReadRequest(c.r)
	if err != nil {
		if c.head.N <= 0 {
			answer(c, http.StatusRequestHeaderFieldsTooLarge, fmt.Sprintf("the head of the request is longer than %d bytes", p.o.HeadBytes))
		} else if !errors.Is(err, io.EOF) {
			answer(c, http.StatusBadRequest, "this is no request for a proxy")
		}
		return
	}
	host, port, fault := target(req)
	switch secret, shown := credentials(req); {
	case fault != nil:
		answer(c, http.StatusBadRequest, fault.Error())
	case !shown: // clients ask first whether they must
		answer(c, http.StatusProxyAuthRequired, "the proxy of a call wants the call's secret")
	case !p.knows(secret):
		p.tell(Attempt{Host: host, Port: port, Reason: wrongSecret})
		answer(c, http.StatusProxyAuthRequired, wrongSecret)
	case req.Method == http.MethodConnect && p.isChannel(host, port):
		_ = c.SetDeadline(time.Time{})
		p.channel(c)
	case req.Method == http.MethodConnect:
		p.connect(c, host, port)
	default:
		p.forward(c, req, host, port)
	}
}

// target returns where a request is to go.
func target(req *http.Request) (host string, port uint16, err error) {
	if req.Method == http.MethodConnect {
		return splitAddress(req.RequestURI)
	}
	if req.URL.Scheme != "http" || req.URL.Host == "" {
		return "", 0, errors.New("this is a proxy: it wants CONNECT, or an absolute http URL")
	}
	if req.URL.Port() == "" {
		return req.URL.Hostname(), 80, nil
	}
	return splitAddress(req.URL.Host)
}

// credentials returns the password of a request; shown is false if it has none.
func credentials(req *http.Request) (secret string, shown bool) {
	scheme, value, _ := strings.Cut(req.Header.Get("Proxy-Authorization"), " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", false
	}
	pair, err := base64.StdEncoding.DecodeString(strings.TrimSpace(value))
	if err != nil {
		return "", true
	}
	_, secret, _ = strings.Cut(string(pair), ":")
	return secret, true
}

// established is the answer to a CONNECT that leads somewhere.
const established = "HTTP/1.1 200 Connection established\r\n\r\n"

// connect opens a tunnel.
func (p *Proxy) connect(c *client, host string, port uint16) {
	_ = c.SetDeadline(time.Time{}) // the dialer has limits of its own
	up, a, err := p.open(host, port)
	if err != nil {
		fail(c, err)
		return
	}
	defer p.done(up, a)
	if _, err := io.WriteString(c, established); err == nil {
		c.unlimit()
		p.tunnel(c, up, p.o.Idle)
	}
}

// forward passes one request on, and its response back.
func (p *Proxy) forward(c *client, req *http.Request, host string, port uint16) {
	_ = c.SetDeadline(time.Time{})
	up, a, err := p.open(host, port)
	if err != nil {
		fail(c, err)
		return
	}
	defer p.done(up, a)
	c.unlimit()
	pass := p.watch(c, up)
	defer pass.end()
	if strings.EqualFold(req.Header.Get("Expect"), "100-continue") && req.ProtoAtLeast(1, 1) {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return
		}
	}
	ends(req.Header)
	req.Header.Del("Expect")
	req.Header.Set("User-Agent", req.Header.Get("User-Agent")) // none is not Go's
	req.Close = true                                           // and the Host is that of the URL
	written := make(chan struct{})
	p.work.Go(func() {
		defer close(written)
		// An answer may come before the whole of the request was read; then nobody wants the rest.
		_ = req.Write(pass.to(up))
	})
	p.respond(c, req, up, pass)
	pass.close()
	<-written
}

// respond passes the target's response back.
func (p *Proxy) respond(c *client, req *http.Request, up *upstream, pass *watch) {
	head := &io.LimitedReader{R: pass.from(up), N: int64(p.o.HeadBytes)}
	r := bufio.NewReader(head)
	res, err := readResponse(r, req)
	if err != nil {
		answer(c, http.StatusBadGateway, "the host gave no response that can be read")
		return
	}
	head.N = 1<<63 - 1
	ends(res.Header)
	res.Close = true
	_ = res.Write(pass.to(c)) // one of the two has gone
	_ = res.Body.Close()      // the connection ends too
}

// maxInterim is how many interim responses (1xx) may come before the final one.
const maxInterim = 8

// readResponse reads a response and leaves out the interim ones.
func readResponse(r *bufio.Reader, req *http.Request) (*http.Response, error) {
	for range maxInterim {
		res, err := http.ReadResponse(r, req)
		if err != nil || res.StatusCode >= 200 {
			return res, err
		}
		if res.StatusCode == http.StatusSwitchingProtocols {
			break // what follows is not HTTP: that is what CONNECT is for
		}
	}
	return nil, errors.New("there is no final response")
}

// ends removes the headers that are for one connection only (RFC 9110 §7.6.1).
func ends(h http.Header) {
	for _, list := range h.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range []string{"Connection", "Proxy-Connection", "Proxy-Authorization", "Proxy-Authenticate", "Keep-Alive", "Te", "Upgrade"} {
		h.Del(name)
	}
}

// fail answers a request whose target was refused or not reached.
func fail(c *client, err error) {
	refused := (*RefusedError)(nil)
	timeout := net.Error(nil)
	switch {
	case errors.As(err, &refused):
		answer(c, http.StatusForbidden, refused.Error())
	case errors.As(err, &timeout) && timeout.Timeout():
		answer(c, http.StatusGatewayTimeout, err.Error())
	default:
		answer(c, http.StatusBadGateway, err.Error())
	}
}

// answerTimeout bounds the time for an answer of our own.
const answerTimeout = 5 * time.Second

// answer answers in the proxy's own words.
func answer(c *client, status int, why string) {
	_ = c.SetDeadline(time.Now().Add(answerTimeout))
	challenge := ""
	if status == http.StatusProxyAuthRequired {
		challenge = "Proxy-Authenticate: Basic realm=\"call\"\r\n"
	}
	why += "\n"
	// If the client has gone, nobody misses the answer.
	_, _ = fmt.Fprintf(c, "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, http.StatusText(status), challenge, len(why), why)
}
