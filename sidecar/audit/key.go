package audit

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// keySuffix is what the key file's name ends in, after the name of the audit.
const keySuffix = ".key"

const keyBytes = 32

// openKey reads the key of an audit, or makes one. Whoever has the key can try which
// arguments a record stands for.
func openKey(path string) ([]byte, error) {
	path += keySuffix
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, 2*keyBytes+1) // one more than there may be
	n, _ := f.Read(text)
	key, err := hex.DecodeString(string(text[:n]))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("%s does not hold a key of %d bytes in hex; remove it for a new one (old arguments can then not be compared with new ones)", path, keyBytes)
	}
	return key, nil
}

// makeKey makes a key that is whole or not there.
func makeKey(path string) ([]byte, error) {
	key := make([]byte, keyBytes)
	rand.Read(key)
	part := path + ".part"
	if err := os.WriteFile(part, []byte(hex.EncodeToString(key)), 0o600); err != nil {
		return nil, err
	}
	return key, os.Rename(part, path)
}

// stand returns what stands for the arguments of a call.
func stand(key []byte, arguments string) *Arguments {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(arguments))
	return &Arguments{HMAC: hex.EncodeToString(mac.Sum(nil)), Bytes: len(arguments)}
}
