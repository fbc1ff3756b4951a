package egress

import "net/url"

// Environ returns the variables, "NAME=value", that lead a program to the proxy, which must have
// been given its listener. They hold the secret.
//
// ALL_PROXY names the HTTP proxy too, and not SOCKS, because a program that has no SOCKS may
// refuse to start if it is told to use it; SOCKS has a variable of its own. NO_PROXY is empty:
// no host is reached without the proxy.
func (p *Proxy) Environ() []string {
	env := make([]string, 0, 14)
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+p.address("http"))
	}
	for _, name := range []string{"socks_proxy", "SOCKS_PROXY"} {
		env = append(env, name+"="+p.address("socks5h"))
	}
	return append(env, "no_proxy=", "NO_PROXY=", "NODE_USE_ENV_PROXY=1")
}

// address returns the URL of the proxy, with the secret.
func (p *Proxy) address(scheme string) string {
	p.mu.Lock()
	at := p.listener.Addr().String()
	p.mu.Unlock()
	u := url.URL{Scheme: scheme, User: url.UserPassword(user, p.secret), Host: at}
	return u.String()
}
