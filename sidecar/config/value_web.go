package config

import (
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// eachOf reads values that are separated by commas; empty ones are ignored.
func eachOf(p *[]string, one func(string) (string, error)) value {
	return field[[]string]{p, func(s string) ([]string, error) {
		var all []string
		for v := range strings.SplitSeq(s, ",") {
			if v = strings.TrimSpace(v); v == "" {
				continue
			}
			read, err := one(v)
			if err != nil {
				return nil, err
			}
			all = append(all, read)
		}
		return all, nil
	}, func(all []string) string { return strings.Join(all, ",") }}
}

// coreTools reads names of the sidecar's own tools.
func coreTools(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		_, err := tool.Wanted([]string{s})
		return s, err
	})
}

// mediaTypes reads media types and media ranges.
func mediaTypes(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		t, params, err := mime.ParseMediaType(s)
		kind, sub, _ := strings.Cut(t, "/")
		if err != nil || len(params) > 0 || kind == "" || sub == "" || kind == "*" && sub != "*" || strings.Contains(strings.TrimSuffix(t, "/*"), "*") && t != "*/*" {
			return "", fmt.Errorf("%q is not a media type; write one such as image/png, image/* or */*", s)
		}
		return t, nil
	})
}

// hostnames reads host names, with a port if only that port is meant.
func hostnames(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		name := regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(:[1-9][0-9]{0,4})?$`)
		h := strings.ToLower(s)
		if !name.MatchString(h) {
			return "", fmt.Errorf("%q is not a host name; write one such as agent.example.com or agent:8999", s)
		}
		return h, nil
	})
}

// origins reads the origins of web pages, as browsers write them: without the
// scheme's default port. "*" is refused, because it would mean the whole web.
func origins(p *[]string) value {
	return eachOf(p, func(s string) (string, error) {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return "", fmt.Errorf("%q is not an origin; write one such as https://chat.example.com (no path, and not *)", s)
		}
		host := strings.ToLower(u.Host)
		return u.Scheme + "://" + strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme]), nil
	})
}
