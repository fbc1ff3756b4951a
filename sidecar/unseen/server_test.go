package unseen_test

import (
	"net"
	"os/exec"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// server is what runs beside a program.
type server struct {
	prepare string
	command string
	network string // where it answers
	address string
}

func servers() map[string]server {
	return map[string]server{
		"mariadb": {
			prepare: "mariadb-install-db --no-defaults --user=$(id -un) --datadir={dir}/data --auth-root-authentication-method=normal",
			command: "exec mariadbd --no-defaults --user=$(id -un) --datadir={dir}/data --socket={dir}/mysql.sock --pid-file={dir}/mysql.pid --skip-networking",
			network: "unix", address: "{dir}/mysql.sock",
		},
		"redis": {
			command: "exec redis-server --port 0 --unixsocket {dir}/redis.sock --save '' --enable-debug-command yes",
			network: "unix", address: "{dir}/redis.sock",
		},
		"sshd": {
			prepare: "ssh-keygen -q -t ed25519 -N '' -f {dir}/key && ssh-keygen -q -t ed25519 -N '' -f {dir}/host && cp {dir}/key.pub {dir}/authorized && mkdir -p /run/sshd",
			command: "exec $(command -v sshd || echo /usr/sbin/sshd) -D -e -f /dev/null -p {port} -h {dir}/host -o ListenAddress=127.0.0.1 -o PidFile=none " +
				"-o AuthorizedKeysFile={dir}/authorized -o StrictModes=no -o PermitRootLogin=yes -o UsePAM=no -o PrintMotd=no",
			network: "tcp", address: "127.0.0.1:{port}",
		},
		"git": {prepare: "git init -q -b main {dir}/work && cd {dir}/work && git config user.name Agent && git config user.email agent@localhost && " +
			"printf 'one\\ntwo\\nthree\\n' >note && git add note && git commit -q -m first && printf 'four\\n' >>note && git commit -q -a -m second && " +
			"sed -i s/two/TWO/ note"},
		"letta": {prepare: "HOME={dir}/home {packages}/.bin/letta connect lmstudio --base-url {model}/v1 --backend local"},
		"disk":  {prepare: "truncate -s 8M {dir}/disk"},
		"key":   {prepare: "ssh-keygen -q -t ed25519 -N right -f {dir}/locked"},
	}
}

// serve prepares what has to be there and starts the server, until the test ends.
func (l *place) serve(t *testing.T, name string) {
	t.Helper()
	s := servers()[name]
	if s.prepare != "" {
		l.run(t, s.prepare)
	}
	if s.command == "" {
		return
	}
	c := exec.Command("sh", "-c", l.fill(s.command))
	c.Dir = l.dir
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait() // it was told to end
	})
	await.True(t, name+" answers", func() bool { // nothing tells that it listens
		conn, err := net.Dial(s.network, l.fill(s.address))
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}
