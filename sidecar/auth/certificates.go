package auth

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"
)

// maxCertFile bounds a file of certificates or a key.
const maxCertFile = 4 << 20

// CertificateFiles are PEM files. Cert holds the server's certificate and what
// leads from it to an authority, Key its key; both may be one file. ClientCA
// holds the authorities whose clients are let in, "" for none.
type CertificateFiles struct {
	Cert, Key, ClientCA string
}

// Certificates is what a TLS server shows and trusts, followed as its files
// change. Its methods may be called from many goroutines, Run by one. A nil
// *Certificates is a server without TLS.
type Certificates struct {
	files   CertificateFiles
	log     *slog.Logger
	current atomic.Pointer[certificateSet]
	reloads reloads
	warned  expiry // what the log has of the present one; Run's
}

// expiry is how near the end of its life a certificate is.
type expiry int

const (
	fresh  expiry = iota
	ending        // the last tenth of its life: it ought to have been renewed
	expired
)

func expiryOf(leaf *x509.Certificate, now time.Time) expiry {
	switch left := leaf.NotAfter.Sub(now); {
	case left <= 0:
		return expired
	case left < leaf.NotAfter.Sub(leaf.NotBefore)/10:
		return ending
	}
	return fresh
}

// certificateSet is what the files held. It is not changed any more.
type certificateSet struct {
	config *tls.Config     // of a handshake
	roots  map[string]bool // the authorities of clients, as DER
	digest [sha256.Size]byte
}

// OpenCertificates reads the files. A nil log is none.
func OpenCertificates(files CertificateFiles, log *slog.Logger) (*Certificates, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	for _, path := range []*string{&files.Cert, &files.Key, &files.ClientCA} {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, err
		}
		*path = abs
	}
	c := &Certificates{files: files, log: log}
	return c, c.read()
}

// Run follows the files until ctx ends. What is not good is logged, and what was
// read last stays. Connections that are open keep what they were shown.
func (c *Certificates) Run(ctx context.Context) {
	w := &watched{paths: c.paths(), log: c.log, read: c.read, count: &c.reloads, poll: c.warn}
	w.run(ctx)
}

// warn says once that the certificate is about to expire, and once that it has.
func (c *Certificates) warn(now time.Time) {
	leaf := c.current.Load().config.Certificates[0].Leaf
	is := expiryOf(leaf, now)
	if is <= c.warned {
		return
	}
	c.warned = is
	text := "the certificate expires soon: put a new one in its place"
	if is == expired {
		text = "the certificate has expired: clients do not accept it; put a new one in its place"
	}
	c.log.Warn(text, "file", c.files.Cert, "until", leaf.NotAfter.UTC().Format(time.RFC3339))
}

func (c *Certificates) paths() []string {
	all := []string{c.files.Cert, c.files.Key}
	if c.files.ClientCA != "" {
		all = append(all, c.files.ClientCA)
	}
	return all
}

// Until is when the server's certificate expires.
func (c *Certificates) Until() time.Time {
	return c.current.Load().config.Certificates[0].Leaf.NotAfter
}

// ClientAuth reports whether clients may show a certificate.
func (c *Certificates) ClientAuth() bool { return c != nil && c.files.ClientCA != "" }

// Config is for an http.Server or a tls.Listener. Each handshake gets what the
// files held last.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return c.current.Load().config, nil
		},
		// net/http asks whether there is a certificate; the one above is used.
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return &c.current.Load().config.Certificates[0], nil
		},
	}
}

func (c *Certificates) read() error {
	set, err := readCertificates(c.files)
	if err != nil {
		return err
	}
	old := c.current.Load()
	if old != nil && old.digest == set.digest {
		return nil
	}
	c.current.Store(set)
	if old != nil {
		c.reloads.taken.Add(1)
	}
	leaf := set.config.Certificates[0].Leaf
	c.log.Info("certificate loaded", "file", c.files.Cert, "subject", leaf.Subject.String(), "until", leaf.NotAfter.UTC().Format(time.RFC3339))
	c.warned = fresh
	c.warn(time.Now())
	return nil
}

// readCertificates reads and checks all files.
func readCertificates(f CertificateFiles) (*certificateSet, error) {
	cert, _, err := readSmall(f.Cert, maxCertFile)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	key, _, err := readSmall(f.Key, maxCertFile)
	if err != nil {
		return nil, fmt.Errorf("TLS key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %s with key %s: %w", f.Cert, f.Key, err)
	}
	set := &certificateSet{digest: sha256.Sum256(slices.Concat(cert, key)), config: &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, Certificates: []tls.Certificate{pair},
	}}
	if f.ClientCA == "" {
		return set, nil
	}
	file, _, err := readSmall(f.ClientCA, maxCertFile)
	if err != nil {
		return nil, fmt.Errorf("TLS client CA: %w", err)
	}
	roots, err := parseCertificates(file)
	if err != nil {
		return nil, fmt.Errorf("TLS client CA %s: %w", f.ClientCA, err)
	}
	pool := x509.NewCertPool()
	set.roots = make(map[string]bool)
	for _, root := range roots {
		pool.AddCert(root)
		set.roots[string(root.Raw)] = true
	}
	set.config.ClientCAs, set.config.ClientAuth = pool, tls.VerifyClientCertIfGiven
	set.digest = sha256.Sum256(slices.Concat(set.digest[:], file))
	return set, nil
}

// parseCertificates reads the certificates of a PEM file, of which there must be
// one at least.
func parseCertificates(file []byte) ([]*x509.Certificate, error) {
	var all []*x509.Certificate
	for {
		block, rest := pem.Decode(file)
		if block == nil {
			break
		}
		if file = rest; block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", len(all)+1, err)
		}
		all = append(all, cert)
	}
	if len(all) == 0 {
		return nil, errors.New("holds no certificate in PEM")
	}
	return all, nil
}
