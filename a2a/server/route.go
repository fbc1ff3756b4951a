package server

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
)

// endpoint is what a path leads to.
type endpoint struct {
	allow string // the methods, as the Allow header has them
	serve func(*exchange)
}

func (e endpoint) allows(method string) bool {
	for m := range strings.SplitSeq(e.allow, ", ") {
		if m == method {
			return true
		}
	}
	return false
}

const (
	allowGet     = "GET, HEAD"
	allowPost    = "POST"
	allowGetPost = "GET, POST"

	toolsPath = "/a2a/tools"
	restRoot  = "/v1" // of 0.3; 1.0 has none
)

// route finds the endpoint of the request's path and sets the dialect and
// binding that any answer, an error included, is written in.
func (x *exchange) route() (endpoint, bool) {
	switch path := x.r.URL.Path; path {
	case "", "/", "/a2a", "/a2a/":
		x.rpc, x.codec = true, codec.JSONRPC(x.requestedVersion(), x.s.bridge)
		return endpoint{allowPost, (*exchange).serveRPC}, true
	}
	x.codec = codec.REST(a2a.V10)
	switch path := x.r.URL.Path; path {
	case "/.well-known/agent-card.json", "/.well-known/agent.json":
		return endpoint{allowGet, (*exchange).serveCard}, true
	case toolsPath, toolsPath + "/":
		return endpoint{allowGet, (*exchange).serveTools}, true
	case "/livez":
		return endpoint{allowGet, (*exchange).serveLive}, true
	case "/readyz":
		return endpoint{allowGet, (*exchange).serveReady}, true
	case "/metrics":
		return endpoint{allowGet, (*exchange).serveMetrics}, x.s.opts.Metrics != nil
	case "/healthz":
		return endpoint{allowGet, (*exchange).serveHealth}, true
	default:
		if m, ok := x.s.opts.Mounts[path]; ok { // before the tools: a tool's name has a namespace
			return m.endpoint(), true
		}
		if strings.HasPrefix(path, toolsPath+"/") {
			return endpoint{allowPost, (*exchange).serveTool}, true
		}
		if m, ok := mounted(x.s.opts.Mounts, path); ok {
			return m.endpoint(), true
		}
		return x.routeREST(path)
	}
}

// routeREST finds the endpoint of a REST path in either dialect (§11.3).
func (x *exchange) routeREST(path string) (endpoint, bool) {
	if rest, ok := strings.CutPrefix(path, restRoot+"/"); ok {
		x.codec = codec.REST(a2a.V03)
		path = "/" + rest
	}
	switch path {
	case "/message:send":
		return restEndpoint(allowPost, opSend, ""), true
	case "/message:stream":
		return restEndpoint(allowPost, opStream, ""), true
	case "/tasks":
		return restEndpoint(http.MethodGet, opList, ""), true
	case "/extendedAgentCard":
		return restEndpoint(http.MethodGet, opExtendedCard, ""), true
	case "/card":
		return restEndpoint(http.MethodGet, opExtendedCard, ""), x.codec.Version() == a2a.V03
	}
	return x.routeTask()
}

// routeTask finds the endpoint of a path below /tasks/. It works on the escaped
// path, so that an id may hold a slash.
func (x *exchange) routeTask() (endpoint, bool) {
	path := x.r.URL.EscapedPath()
	if x.codec.Version() == a2a.V03 {
		path = strings.TrimPrefix(path, restRoot)
	}
	path, ok := strings.CutPrefix(path, "/tasks/")
	if !ok {
		return endpoint{}, false
	}
	segments := strings.Split(path, "/")
	id, err := url.PathUnescape(segments[0])
	if err != nil || id == "" {
		return endpoint{}, false
	}
	switch {
	case len(segments) == 1:
		return routeVerb(id), true
	case segments[1] == codec.PushPath:
		return routePush(id, segments[2:])
	}
	return endpoint{}, false
}

// routeVerb splits {id} and {id}:verb. An unknown verb is treated as part of the id, which
// does not exist then.
func routeVerb(id string) endpoint {
	if task, ok := strings.CutSuffix(id, ":cancel"); ok {
		return restEndpoint(allowPost, opCancel, task)
	}
	if task, ok := strings.CutSuffix(id, ":subscribe"); ok {
		return restEndpoint(allowGetPost, opSubscribe, task)
	}
	return restEndpoint(http.MethodGet, opGet, id)
}
