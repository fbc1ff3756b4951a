package a2a

import (
	"encoding/json"
	"slices"
	"strings"
)

// pushPath is the name of the configs' collection in paths and resource names.
const pushPath = "pushNotificationConfigs"

// decodePush reads a config to create, in any dialect's shape: flat (1.0), under
// pushNotificationConfig (0.3), under config (0.3's proto). task comes from the
// path of a REST request and wins.
func (decoder) decodePush(raw json.RawMessage, task string) (*PushConfig, error) {
	c := &PushConfig{}
	if err := decode(raw, func(key string, v *node) error { return v.pushMember(c, key) }); err != nil {
		return nil, err
	}
	if task != "" {
		c.TaskID = task
	}
	if c.TaskID == "" {
		return nil, ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>","url":"https://…"}`)
	}
	return c, nil
}

// pushConfig reads a config inside of something else.
func (n *node) pushConfig(c *PushConfig) error {
	if n.raw[0] != '{' {
		return n.wrong(`an object such as {"url":"https://…"}`)
	}
	return n.object(func(key string, v *node) error { return v.pushMember(c, key) })
}

func (n *node) pushMember(c *PushConfig, key string) error {
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

// pushAuthentication reads scheme (1.0) or schemes (0.3), of which the first
// counts: there is one set of credentials. An unset one prints as {}.
func (n *node) pushAuthentication(c *PushConfig) error {
	return n.object(func(key string, v *node) error {
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

// pushName reads tasks/{task} and tasks/{task}/pushNotificationConfigs/{id}
// into what has not been set.
func (n *node) pushName(task, id *string) error {
	var name string
	if err := n.str(&name); err != nil {
		return err
	}
	path, ok := strings.CutPrefix(name, "tasks/")
	if !ok {
		return nil
	}
	t, config, _ := strings.Cut(path, "/"+pushPath+"/")
	if *task == "" {
		*task = strings.TrimSuffix(t, "/"+pushPath)
	}
	if *id == "" {
		*id = config
	}
	return nil
}

// decodePushRef reads which config is meant: taskId and id (1.0), or id and
// pushNotificationConfigId (0.3). Those of a REST path win.
func (decoder) decodePushRef(raw json.RawMessage, task, config string) (*PushRequest, error) {
	r := &PushRequest{}
	old := ""
	err := decode(raw, func(key string, v *node) error {
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
		return nil, ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>","id":"<config id>"}`)
	}
	return r, nil
}

// pushPage is the part of a list of configs that is asked for.
type pushPage struct {
	task  string
	size  int // 0: all
	token string
}

// decodePushList reads which task is meant: taskId (1.0) or id (0.3).
func (decoder) decodePushList(raw json.RawMessage, task string) (*pushPage, error) {
	p := &pushPage{}
	id := ""
	err := decode(raw, func(key string, v *node) error {
		switch key {
		case "taskId":
			return v.str(&p.task)
		case "id":
			return v.str(&id)
		case "parent":
			return v.pushName(&p.task, new(string))
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
	if p.task == "" {
		p.task = id
	}
	if task != "" {
		p.task = task
	}
	switch {
	case p.task == "":
		return nil, ErrInvalidParams.With(`taskId is missing: send {"taskId":"<task id>"}`)
	case p.size < 0:
		return nil, ErrInvalidParams.With("pageSize must not be negative")
	}
	return p, nil
}

// decodePushList asks for all: its answer has no place for the token of a next page.
func (c codec03) decodePushList(raw json.RawMessage, task string) (*pushPage, error) {
	p, err := c.decoder.decodePushList(raw, task)
	if err != nil {
		return nil, err
	}
	return &pushPage{task: p.task}, nil
}

// of returns the page, and the token of the next one: the id of the config that
// it begins with.
func (p *pushPage) of(all []PushConfig) ([]PushConfig, string, error) {
	if p.token != "" {
		from := 0
		for from < len(all) && all[from].ID != p.token {
			from++
		}
		if from == len(all) {
			return nil, "", ErrInvalidParams.With("pageToken %.40q is not one of ours, or what it stood for is gone: list again without it", p.token)
		}
		all = all[from:]
	}
	if p.size == 0 || p.size >= len(all) {
		return all, "", nil
	}
	return all[:p.size], all[p.size].ID, nil
}

func (codec10) encodePush(c *PushConfig) []byte { return appendPush10(nil, c) }

func appendPush10(b []byte, c *PushConfig) []byte {
	o := openObject(b)
	o.optStr("id", c.ID)
	o.optStr("taskId", c.TaskID)
	o.str("url", c.URL)
	o.optStr("token", c.Token)
	if c.Scheme != "" || c.Credentials != "" {
		o.key("authentication")
		auth := openObject(o.b)
		auth.optStr("scheme", c.Scheme)
		auth.optStr("credentials", c.Credentials)
		o.b = auth.close()
	}
	return o.close()
}

func (codec10) encodePushList(all []PushConfig, next string) []byte {
	o := openObject(nil)
	list(&o, "configs", all, appendPush10)
	o.str("nextPageToken", next)
	return o.close()
}

// encodeNothing is google.protobuf.Empty.
func (codec10) encodeNothing() []byte { return []byte("{}") }

func (codec03) encodePush(c *PushConfig) []byte { return appendTaskPush03(nil, c) }

func appendTaskPush03(b []byte, c *PushConfig) []byte {
	o := openObject(b)
	o.str("taskId", c.TaskID)
	o.key("pushNotificationConfig")
	o.b = appendPush03(o.b, c)
	return o.close()
}

// appendPush03 appends the config without its task.
func appendPush03(b []byte, c *PushConfig) []byte {
	o := openObject(b)
	o.str("id", c.ID)
	o.str("url", c.URL)
	o.optStr("token", c.Token)
	if c.Scheme != "" || c.Credentials != "" {
		o.key("authentication")
		auth := openObject(o.b)
		auth.strs("schemes", slices.DeleteFunc([]string{c.Scheme}, func(s string) bool { return s == "" }))
		auth.optStr("credentials", c.Credentials)
		o.b = auth.close()
	}
	return o.close()
}

// encodePushList has no pages: 0.3 returns a bare list.
func (codec03) encodePushList(all []PushConfig, _ string) []byte {
	b := []byte{'['}
	for i := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTaskPush03(b, &all[i])
	}
	return append(b, ']')
}

func (codec03) encodeNothing() []byte { return []byte("null") }

func (codec03REST) encodePush(c *PushConfig) []byte { return appendTaskPush03REST(nil, c) }

func appendTaskPush03REST(b []byte, c *PushConfig) []byte {
	o := openObject(b)
	o.str("name", "tasks/"+c.TaskID+"/"+pushPath+"/"+c.ID)
	o.key("pushNotificationConfig")
	o.b = appendPush03(o.b, c)
	return o.close()
}

func (codec03REST) encodePushList(all []PushConfig, next string) []byte {
	o := openObject(nil)
	list(&o, "configs", all, appendTaskPush03REST)
	o.optStr("nextPageToken", next)
	return o.close()
}

func (codec03REST) encodeNothing() []byte { return []byte("{}") }
