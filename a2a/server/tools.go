package server

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// serveTools answers GET /a2a/tools: the list, or with a query what is found in it.
func (x *exchange) serveTools() {
	if x.r.URL.RawQuery != "" {
		if query := x.r.URL.Query(); query.Has("query") {
			x.searchTools(query)
			return
		}
	}
	x.seen.name = "ListTools"
	x.document(x.s.handler.Tools())
}

// searchTools answers GET /a2a/tools?query=…&limit=….
func (x *exchange) searchTools(query url.Values) {
	x.seen.name = "SearchTools"
	r := &a2a.ToolSearch{Params: x.params, Query: query.Get("query")}
	if limit := query.Get("limit"); limit != "" {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 {
			x.fail(a2a.ErrInvalidParams.With("limit %s is not a number of tools: write it as in limit=10", text.Quote(limit, quoted)).At("limit"))
			return
		}
		r.Limit = n
	}
	found, err := x.s.handler.SearchTools(x.ctx, r)
	if err != nil {
		x.fail(err)
		return
	}
	body, err := text.JSON(append([]a2a.FoundTool{}, found...))
	if err != nil {
		x.fail(err)
		return
	}
	x.w.Header()["Cache-Control"] = []string{"no-cache"}
	x.write(http.StatusOK, a2a.TypeJSON, body)
}

// quoted is how much of a bad parameter an error repeats, in bytes.
const quoted = 64

// serveTool answers POST /a2a/tools/{name}. The body is JSON whatever its
// Content-Type says, and an empty one is {}.
func (x *exchange) serveTool() {
	x.seen.name = "CallTool"
	name, err := url.PathUnescape(strings.TrimPrefix(x.r.URL.EscapedPath(), toolsPath+"/"))
	if err != nil {
		x.fail(errNoSuchPath)
		return
	}
	if err := x.negotiate(); err != nil {
		x.fail(err)
		return
	}
	if err := x.beginWork(); err != nil {
		x.refuseBody()
		x.fail(err)
		return
	}
	body, err := x.readBody()
	if err != nil {
		x.fail(err)
		return
	}
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	client := x.attend(false)
	defer client.leave()
	query := x.r.URL.Query()
	reply, err := x.s.handler.CallTool(x.ctx, &a2a.ToolRequest{
		Params: x.params, Name: name, Arguments: body,
		Timeout: query.Get("timeout"), Batch: query.Get("batch"), OnFailure: query.Get("onFailure"),
	})
	client.stopWatching()
	if err != nil {
		x.fail(err)
		return
	}
	x.toolReply(reply)
}

func (x *exchange) toolReply(reply *a2a.ToolReply) {
	h := x.w.Header()
	if reply.TaskID != "" {
		h.Set("Location", "/tasks/"+url.PathEscape(reply.TaskID))
	}
	if reply.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(reply.RetryAfter))
	}
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	x.write(status, a2a.TypeJSON, reply.Envelope)
}
