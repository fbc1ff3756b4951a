package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
)

// introspectionCache keeps what images were found to offer: what an image offers does not change.
type introspectionCache struct {
	dir    string // "": there is no place for it
	digest string // the image's, "": it is not known
}

// cachedIntrospection is what a file of the cache holds: what the agent answered, not what was
// thought of it.
type cachedIntrospection struct {
	Image  string `json:"image"`
	URL    string `json:"url"`
	Digest string `json:"digest"` // of Tools
	// Card and Tools are in base64: the digest is that of each byte.
	Card  []byte `json:"card"`
	Tools []byte `json:"tools"`
}

// defaultCacheDir returns the directory of the cache in XDG_CACHE_HOME, "" if there is no home for
// it.
func defaultCacheDir(std Std) string {
	cache := std.Getenv("XDG_CACHE_HOME")
	if home := std.Getenv("HOME"); !filepath.IsAbs(cache) && filepath.IsAbs(home) {
		cache = filepath.Join(home, ".cache")
	}
	if !filepath.IsAbs(cache) {
		return ""
	}
	return filepath.Join(cache, "a2a-sidecar", "introspect")
}

// file returns the image's file, "" for none.
func (c introspectionCache) file() string {
	if c.dir == "" || c.digest == "" {
		return ""
	}
	return filepath.Join(c.dir, strings.ReplaceAll(c.digest, ":", "-")+".json") // a digest has no slash
}

var errBadCache = errors.New("it does not hold what was written there")

// get returns what the image was found to offer, nil if that is not known. The error says why a
// file that is there cannot be used.
func (c introspectionCache) get() (*cachedIntrospection, error) {
	file := c.file()
	if file == "" {
		return nil, nil
	}
	data, err := manifest.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var known cachedIntrospection
	if err == nil && (json.Unmarshal(data, &known) != nil || known.Image != c.digest || known.Digest != digest(known.Tools) || !json.Valid(known.Card)) {
		err = errBadCache
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not used: %w", file, err)
	}
	return &known, nil
}

// put keeps what the image offers. Another process that does so at the same time writes the same.
func (c introspectionCache) put(known *cachedIntrospection) error {
	file := c.file()
	if file == "" {
		return nil
	}
	body, err := json.Marshal(known)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(c.dir, ".part-*") // for its owner alone
	if err != nil {
		return err
	}
	_, err = part.Write(body)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}
