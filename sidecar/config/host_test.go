package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// What cannot be an address is refused before anybody is asked for its number.
func TestHostIsAnAddress(t *testing.T) {
	for _, host := range []string{"a:b:c", "[::1", "300.1.1.1", "1.2.3", "a..b", "a b", ""} {
		_, err := config.Load(config.Sources{Args: []string{"cat"}, Flags: flags("host", host)})
		if err == nil || !strings.Contains(err.Error(), "is not an address; write one such as 127.0.0.1") {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, host := range []string{"127.0.0.1", "::1", "[::1]", "fe80::1%lo", "localhost", "host-1.example", "müller.example"} {
		if _, err := config.Load(config.Sources{Args: []string{"cat"}, Flags: flags("host", host, "allow-anonymous", "true")}); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
}

func TestWhereToListen(t *testing.T) {
	tokens := tempFile(t, "tokens", "alice:0123456789abcdef")
	tests := []struct {
		name      string
		container string
		flags     map[string][]string
		host      string
		refused   bool
		warned    bool
	}{
		{"loopback by default", "", nil, "127.0.0.1", false, false},
		{"all interfaces in a container, with a warning", "PID 1", nil, "", false, true},
		{"a flag decides in a container", "PID 1", flags("host", "127.0.0.1"), "127.0.0.1", false, false},
		{"no warning when it is meant", "PID 1", flags("allow-anonymous", "true"), "", false, false},
		{"open by mistake is refused", "", flags("host", "0.0.0.0"), "0.0.0.0", true, false},
		{"open on purpose", "", flags("host", "0.0.0.0", "allow-anonymous", "true"), "0.0.0.0", false, false},
		{"open to callers with a token", "", flags("host", "0.0.0.0", "token-file", tokens), "0.0.0.0", false, false},
		{"open to clients with a certificate", "", flags("host", "0.0.0.0", "tls-client-ca", tokens, "tls-cert", tokens, "tls-key", tokens), "0.0.0.0", false, false},
		{"TLS alone lets everybody in", "", flags("host", "0.0.0.0", "tls-cert", tokens, "tls-key", tokens), "0.0.0.0", true, false},
		{"no warning in a container with tokens", "PID 1", flags("token-file", tokens), "", false, false},
		{"tokens and anybody are a contradiction", "PID 1", flags("token-file", tokens, "allow-anonymous", "true"), "", false, true},
		{"a name that is not ours", "", flags("host", "example.com"), "example.com", true, false},
		{"other loopbacks", "", flags("host", "localhost"), "localhost", false, false},
		{"with brackets", "", flags("host", "[::1]"), "::1", false, false},
		{"IPv6 of all", "", flags("host", "::"), "::", true, false},
	}
	for _, test := range tests {
		loaded, err := config.Load(config.Sources{Args: []string{"cat"}, Flags: test.flags, Container: test.container})
		warned := len(loaded.Warnings) > 0
		if loaded.Config.Host != test.host || (err != nil) != test.refused || warned != test.warned {
			t.Errorf("%s: host %q, error %v, warnings %q", test.name, loaded.Config.Host, err, loaded.Warnings)
		}
		if err != nil && !strings.Contains(err.Error(), "--allow-anonymous") {
			t.Errorf("%s: %v does not say the way out", test.name, err)
		}
	}
}

func flags(pairs ...string) map[string][]string {
	m := map[string][]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = []string{pairs[i+1]}
	}
	return m
}

func TestWarnings(t *testing.T) {
	tests := []struct {
		env  []string
		want string // "" for none
	}{
		{[]string{"SIDECAR_X=2"}, "SIDECAR_X is not a setting and changes nothing; see sidecar help settings"},
		{[]string{"SIDECAR_MAX_CONCURENCY=2"}, "SIDECAR_MAX_CONCURENCY is not a setting and changes nothing; did you mean SIDECAR_MAX_CONCURRENCY?"},
		{[]string{"SIDECAR_SOMETHING_QUITE_OTHER=2"}, "SIDECAR_SOMETHING_QUITE_OTHER is not a setting and changes nothing; see sidecar help settings"},
		{[]string{"SIDECAR_URL=x", "SIDECAR_SOCKET=x", "SIDECAR_TASK_ID=x", "SIDECAR_SERVICE_HOST=x", "SIDECAR_PORT_8999_TCP=x", "SIDECARS=1", "SIDECAR_QUUE="}, ""},
		{[]string{"AGENT_PORT=tcp://10.0.0.1:80"}, `AGENT_PORT="tcp://10.0.0.1:80" comes from a Kubernetes Service of that name and is ignored; enableServiceLinks: false keeps it away`},
		{[]string{"SPRING_AGENT_OUTPUT_FORMAT=json"}, "output-format ($SPRING_AGENT_OUTPUT_FORMAT) has no effect with --mode pty"},
		{[]string{"SIDECAR_MODE=oneshot", "SIDECAR_SESSIONS=2"}, "sessions ($SIDECAR_SESSIONS) has no effect with --mode oneshot"},
	}
	for _, test := range tests {
		loaded, err := config.Load(config.Sources{Args: []string{"cat"}, Environ: test.env})
		if err != nil {
			t.Errorf("%q: %v", test.env, err)
		}
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if diff := cmp.Diff(want, loaded.Warnings); diff != "" {
			t.Errorf("%q: -want +got\n%s", test.env, diff)
		}
	}
}

func TestClientTarget(t *testing.T) {
	file := tempFile(t, "c.json", `{"port": 7}`)
	tests := []struct {
		flag string
		env  []string
		want string
	}{
		{"", nil, "http://127.0.0.1:8999"},
		{"", []string{"AGENT_PORT=81"}, "http://127.0.0.1:81"},
		{"", []string{"AGENT_PORT=81", "SIDECAR_PORT=82"}, "http://127.0.0.1:82"},
		{"", []string{"SIDECAR_CONFIG=" + file}, "http://127.0.0.1:7"},
		{"", []string{"SIDECAR_HOST=0.0.0.0"}, "http://127.0.0.1:8999"},
		{"", []string{"SIDECAR_HOST=::1"}, "http://[::1]:8999"},
		{"", []string{"AGENT_PORT=81", "SIDECAR_URL=http://x:1/"}, "http://x:1"},
		{"localhost:5", []string{"SIDECAR_URL=http://x:1"}, "http://localhost:5"},
	}
	for _, test := range tests {
		got, err := config.ClientTarget(test.flag, test.env)
		if err != nil || got.URL != test.want {
			t.Errorf("%q %q: %s, %v; want %s", test.flag, test.env, got.URL, err, test.want)
		}
	}
	for _, env := range []string{"AGENT_PORT=0", "SIDECAR_URL=ftp://x", "AGENT_PORT=x", "SIDECAR_CONFIG=/not/there"} {
		if got, err := config.ClientTarget("", []string{env}); err == nil {
			t.Errorf("%s: %s, and no error", env, got.URL)
		}
	}
}

func TestPrintMasksSecrets(t *testing.T) {
	loaded, err := config.Load(config.Sources{
		Args:    []string{"agent", "--api-key", "hunter1", "--token=hunter2", "OPENAI_API_KEY=hunter3", "sk-hunter4", "http://u:hunter5@x/", "--keys", "shown", "a b", "--password", "-v"},
		Environ: []string{"SIDECAR_NAME=\x1b[31m", "SIDECAR_PORT=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := loaded.Print(&b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if strings.Contains(out, "hunter") || strings.Contains(out, "\x1b") {
		t.Errorf("a secret or an escape is shown:\n%s", out)
	}
	for _, part := range []string{`agent --api-key ***** --token=***** OPENAI_API_KEY=*****`, `--keys shown "a b" --password -v`, "port                  1  ", "$SIDECAR_PORT"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(part), " ")) {
			t.Errorf("no %s in\n%s", part, out)
		}
	}
}

func TestTLSFilesGoTogether(t *testing.T) {
	file := tempFile(t, "pem", "x")
	for _, test := range []struct {
		flags map[string][]string
		want  string // "" for no fault
	}{
		{flags("tls-cert", file, "tls-key", file), ""},
		{flags("tls-cert", file), "--tls-cert and --tls-key"},
		{flags("tls-key", file), "--tls-cert and --tls-key"},
		{flags("tls-client-ca", file), "--tls-client-ca"},
		{flags("tls-cert", "/not/there", "tls-key", file), "is not there"},
		{flags("token-file", "/not/there"), "is not there"},
		{flags("caller-rate", "-1"), "is not a rate"},
	} {
		_, err := config.Load(config.Sources{Args: []string{"cat"}, Flags: test.flags})
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.flags, err, test.want)
		}
	}
}
