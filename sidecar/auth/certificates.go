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

// maxCertFile limits the size of a file of certificates or a key, in bytes.
const maxCertFile = 4 << 20

// CertificateFiles are PEM files. Cert holds the server's certificate and the intermediate
// certificates up to an authority, Key holds its key; both may be one file. ClientCA holds
// the authorities whose clients are accepted, "" for none.
type CertificateFiles struct {
	Cert, Key, ClientCA string
}

// Certificates holds the certificates that a TLS server shows and trusts. It follows their
// files as they change. Its methods may be called from many goroutines, but Run only from
// one. A nil *Certificates is a server without TLS.
type Certificates struct {
	files   CertificateFiles
	log     *slog.Logger
	current atomic.Pointer[certificateSet]
	reloads reloads
	warned  expiry // the last warning about the present certificate; only Run uses it
}

// expiry says how close to its expiry a certificate is.
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

// certificateSet holds the content of the files. It is immutable.
type certificateSet struct {
	config *tls.Config     // the configuration of a handshake
	roots  map[string]bool // the authorities of clients, as DER
	digest [sha256.Size]byte
}

// OpenCertificates reads the files. If log is nil, nothing is logged.
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

// Run follows the files until ctx ends. If the files are not valid, that is logged and the
// last valid content stays in force. Open connections keep their certificates.
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

// Until returns when the server's certificate expires.
func (c *Certificates) Until() time.Time {
	return c.current.Load().config.Certificates[0].Leaf.NotAfter
}

// ClientAuth reports whether clients may show a certificate.
func (c *Certificates) ClientAuth() bool { return c != nil && c.files.ClientCA != "" }

// Config returns a configuration for an http.Server or a tls.Listener. Each handshake uses
// what was last read from the files.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return c.current.Load().config, nil
		},
		// net/http checks that there is a certificate, but the one above is used.
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

// parseCertificates reads the certificates of a PEM file, which must have at least one.
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
