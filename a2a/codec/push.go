package codec

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// PushPath is the name of the collection of push configs in paths and resource names.
const PushPath = "pushNotificationConfigs"

// DecodePush reads a config to create, in the form of any dialect: flat (1.0), under
// pushNotificationConfig (0.3) or under config (0.3's proto). task comes from the path of a
// REST request and takes precedence.
func (decoder) DecodePush(in Params, task string) (*a2a.PushConfig, error) {
	c := &a2a.PushConfig{}
	if err := decode(in, func(key string, v *node) error { return v.pushMember(c, key) }); err != nil {
		return nil, err
	}
	if task != "" {
		c.TaskID = task
	}
	if c.TaskID == "" {
		return nil, a2a.ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>","url":"https://…"}`)
	}
	return c, nil
}

// pushConfig reads a config that is a member of another object.
func (n *node) pushConfig(c *a2a.PushConfig) error {
	if n.text[0] != '{' {
		return n.wrongType(`an object such as {"url":"https://…"}`)
	}
	return n.each(folded, func(key string, v *node) error { return v.pushMember(c, key) })
}

func (n *node) pushMember(c *a2a.PushConfig, key string) error {
	switch key {
	case "id":
		return n.str(&c.ID)
	case "configId": // 0.3's proto
		var id string
		err := n.str(&id)
		if c.ID == "" {
			c.ID = id
		}
		return err
	case "taskId":
		return n.str(&c.TaskID)
	case "name", "parent": // resource names of 0.3's proto
		return n.pushName(&c.TaskID, &c.ID)
	case "url":
		return n.str(&c.URL)
	case "token":
		return n.str(&c.Token)
	case "authentication":
		return n.pushAuthentication(c)
	case "tenant":
		return n.tenant()
	case "config", "pushNotificationConfig", "taskPushNotificationConfig":
		return n.pushConfig(c)
	}
	return nil
}

// pushAuthentication reads scheme (1.0) or schemes (0.3). Of schemes only the first counts,
// since there is one set of credentials. An unset authentication is written as {}.
func (n *node) pushAuthentication(c *a2a.PushConfig) error {
	return n.each(folded, func(key string, v *node) error {
		switch key {
		case "scheme":
			return v.str(&c.Scheme)
		case "schemes":
			var all []string
			err := v.strs(&all)
			if len(all) > 0 && c.Scheme == "" {
				c.Scheme = all[0]
			}
			return err
		case "credentials":
			return v.str(&c.Credentials)
		}
		return nil
	})
}

// pushName reads tasks/{task} and tasks/{task}/pushNotificationConfigs/{id} and sets task
// and id if they are empty.
func (n *node) pushName(task, id *string) error {
	var name string
	if err := n.str(&name); err != nil {
		return err
	}
	path, ok := strings.CutPrefix(name, "tasks/")
	if !ok {
		return nil
	}
	t, config, _ := strings.Cut(path, "/"+PushPath+"/")
	if *task == "" {
		*task = strings.TrimSuffix(t, "/"+PushPath)
	}
	if *id == "" {
		*id = config
	}
	return nil
}

// DecodePushRef reads which config is meant: taskId and id (1.0), or id and
// pushNotificationConfigId (0.3). The ids of a REST path take precedence.
func (decoder) DecodePushRef(in Params, task, config string) (*a2a.PushRequest, error) {
	r := &a2a.PushRequest{}
	old := ""
	err := decode(in, func(key string, v *node) error {
		switch key {
		case "taskId":
			return v.str(&r.TaskID)
		case "id":
			return v.str(&r.ID)
		case "pushNotificationConfigId":
			return v.str(&old)
		case "name":
			return v.pushName(&r.TaskID, &r.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.TaskID == "" {
		r.TaskID, r.ID = r.ID, ""
	}
	if old != "" {
		r.ID = old
	}
	if task != "" {
		r.TaskID, r.ID = task, config
	}
	if r.TaskID == "" {
		return nil, a2a.ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>","id":"<config id>"}`)
	}
	return r, nil
}

// PushPage is the part of a list of configs that a client requests.
type PushPage struct {
	Task  string
	size  int // 0: all
	token string
}

// DecodePushList reads which task is meant: taskId (1.0) or id (0.3).
func (decoder) DecodePushList(in Params, task string) (*PushPage, error) {
	p := &PushPage{}
	id := ""
	err := decode(in, func(key string, v *node) error {
		switch key {
		case "taskId":
			return v.str(&p.Task)
		case "id":
			return v.str(&id)
		case "parent":
			return v.pushName(&p.Task, new(string))
		case "pageSize":
			return v.integer(&p.size)
		case "pageToken":
			return v.str(&p.token)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p.Task == "" {
		p.Task = id
	}
	if task != "" {
		p.Task = task
	}
	switch {
	case p.Task == "":
		return nil, a2a.ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>"}`)
	case p.size < 0:
		return nil, a2a.ErrInvalidParams.With("pageSize must not be negative")
	}
	return p, nil
}

// DecodePushList always requests all configs: its answer has no member for the token of a
// next page.
func (c codec03) DecodePushList(in Params, task string) (*PushPage, error) {
	p, err := c.decoder.DecodePushList(in, task)
	if err != nil {
		return nil, err
	}
	return &PushPage{Task: p.Task}, nil
}

// Of returns the page and the token of the next page, which is the id of that page's first
// config.
func (p *PushPage) Of(all []a2a.PushConfig) ([]a2a.PushConfig, string, error) {
	if p.token != "" {
		from := 0
		for from < len(all) && all[from].ID != p.token {
			from++
		}
		if from == len(all) {
			return nil, "", a2a.ErrInvalidParams.With("pageToken %.40q is not one of ours, or what it stood for is gone: list again without it", p.token)
		}
		all = all[from:]
	}
	if p.size == 0 || p.size >= len(all) {
		return all, "", nil
	}
	return all[:p.size], all[p.size].ID, nil
}

func (codec10) EncodePush(c *a2a.PushConfig) []byte { return appendPush10(nil, c) }

func appendPush10(b []byte, c *a2a.PushConfig) []byte {
	o := openObject(b)
	o.optStr("id", c.ID)
	o.optStr("taskId", c.TaskID)
	o.str("url", c.URL)
	o.optStr("token", c.Token)
	if c.Scheme != "" || c.Credentials != "" {
		o.nest("authentication", func(auth *object) {
			auth.optStr("scheme", c.Scheme)
			auth.optStr("credentials", c.Credentials)
		})
	}
	return o.close()
}

func (codec10) EncodePushList(all []a2a.PushConfig, next string) []byte {
	o := openObject(nil)
	list(&o, "configs", all, appendPush10)
	o.str("nextPageToken", next)
	return o.close()
}

// EncodeNothing returns a google.protobuf.Empty.
func (codec10) EncodeNothing() []byte { return []byte("{}") }

func (codec03) EncodePush(c *a2a.PushConfig) []byte { return appendTaskPush03(nil, c) }

func appendTaskPush03(b []byte, c *a2a.PushConfig) []byte {
	o := openObject(b)
	o.str("taskId", c.TaskID)
	value(&o, "pushNotificationConfig", c, appendPush03)
	return o.close()
}

// appendPush03 appends the config without its task.
func appendPush03(b []byte, c *a2a.PushConfig) []byte {
	o := openObject(b)
	o.str("id", c.ID)
	o.str("url", c.URL)
	o.optStr("token", c.Token)
	if c.Scheme != "" || c.Credentials != "" {
		o.nest("authentication", func(auth *object) {
			auth.strs("schemes", slices.DeleteFunc([]string{c.Scheme}, func(s string) bool { return s == "" }))
			auth.optStr("credentials", c.Credentials)
		})
	}
	return o.close()
}

// EncodePushList writes no token: 0.3 returns a bare list without pages.
func (codec03) EncodePushList(all []a2a.PushConfig, _ string) []byte {
	return appendList(nil, all, appendTaskPush03)
}

func (codec03) EncodeNothing() []byte { return []byte("null") }

func (codec03REST) EncodePush(c *a2a.PushConfig) []byte { return appendTaskPush03REST(nil, c) }

func appendTaskPush03REST(b []byte, c *a2a.PushConfig) []byte {
	o := openObject(b)
	o.str("name", "tasks/"+c.TaskID+"/"+PushPath+"/"+c.ID)
	value(&o, "pushNotificationConfig", c, appendPush03)
	return o.close()
}

func (codec03REST) EncodePushList(all []a2a.PushConfig, next string) []byte {
	o := openObject(nil)
	list(&o, "configs", all, appendTaskPush03REST)
	o.optStr("nextPageToken", next)
	return o.close()
}

func (codec03REST) EncodeNothing() []byte { return []byte("{}") }
