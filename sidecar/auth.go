package sidecar

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"

	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
)

// callers is how callers show who they are, with the goroutines that follow the files
// of tokens and certificates.
type callers struct {
	auth.Credentials
	stop context.CancelFunc
	done sync.WaitGroup
}

// openCallers reads the tokens and certificates, and follows them.
func (s *sidecar) openCallers(ctx context.Context) (err error) {
	c, by := &s.Config, &callers{}
	if c.TokenFile != "" {
		if err := s.keepFromAgent(c.TokenFile); err != nil {
			return err
		}
		if by.Tokens, err = auth.OpenTokens(c.TokenFile, s.Log); err != nil {
			return err
		}
	}
	if c.TLSCert != "" {
		files := auth.CertificateFiles{Cert: c.TLSCert, Key: c.TLSKey, ClientCA: c.TLSClientCA}
		if by.Certificates, err = auth.OpenCertificates(files, s.Log); err != nil {
			return err
		}
	}
	ctx, by.stop = context.WithCancel(context.WithoutCancel(ctx))
	if by.Tokens != nil {
		by.done.Go(func() { by.Tokens.Run(ctx) })
	}
	if by.Certificates != nil {
		by.done.Go(func() { by.Certificates.Run(ctx) })
	}
	s.callers = by
	return nil
}

// keepFromAgent refuses a token file that the agent's user can read: whoever has a
// token is that caller. An agent that runs as our own user can read whatever we can.
func (s *sidecar) keepFromAgent(path string) error {
	u := s.Config.User
	if u == nil || int(u.UID) == os.Geteuid() {
		s.Log.Warn("the agent runs as the sidecar's own user and can read its tokens: --user gives it one of its own", "file", path)
		return nil
	}
	can, err := u.CanRead(path)
	if err != nil || !can {
		return nil // whoever opens it reports that it is missing
	}
	return fmt.Errorf("--token-file %s: the agent's user %d can read it, and be every caller: let it be its owner's alone (chmod 600), not user %d's", path, u.UID, u.UID)
}

func (s *sidecar) closeCallers(context.Context) error {
	s.callers.stop()
	s.callers.done.Wait()
	return nil
}

// guard adds to the server's options who may call and how much each caller may hold.
func (s *sidecar) guard(o server.Options) server.Options {
	c := &s.Config
	if c.Authenticates() {
		o.Authenticate = s.authenticate
	}
	o.Limits = server.Limits{
		Requests: c.MaxRequests, CallerRequests: c.CallerRequests,
		Streams: c.MaxStreams(), CallerStreams: c.CallerStreams(),
		Bytes: c.MaxInflight, CallerBytes: c.CallerInflight,
		CallerRate: c.CallerRate, CallerBurst: c.CallerBurst,
		Connections: maxConnections(c.MaxConnections),
	}
	return o
}

// serve answers requests until the server is closed.
func (s *sidecar) serve() error {
	gate.KeepConnections(s.server)
	s.server.Handler = s.keepGrants(s.server.Handler)
	if s.callers.Certificates == nil {
		return s.server.Serve(s.listener)
	}
	s.server.TLSConfig = s.callers.Certificates.Config()
	return s.server.ServeTLS(s.listener, "", "")
}

// mostConnections is how many connections are accepted if no setting says, however
// many descriptors there are.
const mostConnections = 10_000

// maxConnections is the limit of connections. If no setting says, it leaves half of
// the descriptors to the agent's processes, files and ourselves.
func maxConnections(said int) int {
	if said > 0 {
		return said
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur)/2 > mostConnections {
		return mostConnections
	}
	return max(int(limit.Cur/2), 1)
}
