package sidecar

import (
	"context"
	"net/netip"

	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/metrics"
	"github.com/a2a-sidecar/sidecar/sidecar/push"
)

// pushes reports whether push notifications are on.
func pushes(c *config.Config) bool { return c.Push == "on" }

// openPush starts push delivery; it goes on with what receivers are still owed from
// before.
func (s *sidecar) openPush(context.Context) error {
	c := &s.Config
	if !pushes(c) {
		return nil
	}
	var private []netip.Prefix
	if c.PushAllowPrivate {
		private = []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)}
	}
	s.sender = a2apush.New(a2apush.Options{Timeout: c.PushTimeout, Allow: private, UserAgent: "a2a-sidecar/" + s.Version})
	s.push = push.New(push.Options{Sender: s.sender, Concurrency: c.PushConcurrency, RetryFor: c.PushRetryFor, Log: s.Log})
	s.push.Resume(s.tasks.Undelivered())
	return nil
}

func (s *sidecar) closePush(context.Context) error {
	if s.push != nil {
		s.push.Close()
		s.sender.Close()
	}
	return nil
}

// pushLevels returns the push part of the metrics, nil if push is off.
func (s *sidecar) pushLevels() *metrics.Push {
	if s.push == nil {
		return nil
	}
	st := s.push.Stats()
	return &metrics.Push{
		Delivered: st.Delivered, Failed: st.Failed, Dropped: st.Dropped, Receivers: st.Receivers, Sending: st.Sending,
	}
}
