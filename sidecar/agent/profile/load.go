package profile

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

//go:embed profiles/*.json
var files embed.FS

// GenericName is the profile of an agent nothing is known of: the rules that
// hold for every agent, and nothing else.
const GenericName = "generic"

// fileMax bounds a profile's file.
const fileMax = 256 << 10

// ErrUnknown is what Load returns for a name that is none of Names.
var ErrUnknown = errors.New("there is no profile")

// Names lists the profiles that are built in, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir("profiles")
	if err != nil {
		return nil // it is embedded: a test holds that it is there
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Load returns the profile of that name, or reads the file when it is no name
// of one. What holds a slash or ends in .json is a file. The error is [jsontree.Faults]
// when the file is there but wrong.
func Load(nameOrFile string) (*Profile, error) {
	if strings.ContainsRune(nameOrFile, '/') || strings.HasSuffix(nameOrFile, ".json") {
		return loadFile(nameOrFile)
	}
	if !slices.Contains(Names(), nameOrFile) {
		return nil, fmt.Errorf("%w %s: give one of %s, or a file (with a slash, or ending in .json)", ErrUnknown, quote(nameOrFile), strings.Join(Names(), ", "))
	}
	return builtIn(nameOrFile)
}

// For returns the profile for a command, see NameFor. It is never nil: the last
// resort is Generic.
func For(command []string) *Profile {
	name := NameFor(command)
	if name == GenericName {
		return Generic()
	}
	p, err := builtIn(name)
	if err != nil {
		return Generic()
	}
	return p
}

// NameFor is the name of the profile for a command: by the base name of the
// program, or, when that is node, npx or the like, by that of the script it
// runs. Wrappers are not guessed: GenericName.
func NameFor(command []string) string {
	name, alone := programOf(command)
	index, err := commands()
	if err != nil {
		return GenericName
	}
	found, ok := index[name]
	if !ok {
		found, ok = index[strings.TrimRight(name, "0123456789.")] // python3.11
	}
	if !ok || found.Alone && !alone {
		return GenericName
	}
	return found.name
}

// heading is what tells whether a profile is for a command. It is read without
// the rest, which takes longer by far.
type heading struct {
	name     string
	Commands []string `json:"commands"`
	Alone    bool     `json:"alone"`
}

// commands maps the programs to the headings of their profiles, read once.
var commands = sync.OnceValues(func() (map[string]heading, error) {
	index := map[string]heading{}
	for _, name := range Names() {
		src, err := files.ReadFile("profiles/" + name + ".json")
		if err != nil {
			return nil, err
		}
		h := heading{name: name}
		if err := json.Unmarshal(src, &h); err != nil {
			return nil, err
		}
		for _, c := range h.Commands {
			index[c] = h
		}
	}
	return index, nil
})

func builtIn(name string) (*Profile, error) {
	src, err := files.ReadFile("profiles/" + name + ".json")
	if err != nil {
		return nil, err
	}
	return Parse(name+".json", src)
}

func loadFile(path string) (*Profile, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return nil, fmt.Errorf("profile %s cannot be read: %w", path, reason(err))
	}
	defer f.Close() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("profile %s is not a regular file", path)
	}
	src, err := io.ReadAll(io.LimitReader(f, fileMax+1))
	if err != nil {
		return nil, fmt.Errorf("profile %s cannot be read: %w", path, reason(err))
	}
	if len(src) > fileMax {
		return nil, fmt.Errorf("profile %s is larger than %d KiB", path, fileMax>>10)
	}
	return Parse(path, src)
}

// reason is the error without the path, which is named already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Parse reads a profile. The file's name is for its faults; the base name
// without its ending names a profile that gives no name. The error is [jsontree.Faults].
func Parse(file string, src []byte) (*Profile, error) {
	root, faults := jsontree.ParseFile(file, src)
	d := decoder{faults: faults}
	p := &Profile{}
	if root.Kind != 0 {
		d.into(&root, "", reflect.ValueOf(p).Elem())
		if p.Name == "" {
			p.Name = strings.TrimSuffix(filepath.Base(file), ".json")
		}
		d.check(&root, p)
	}
	if len(d.faults) == 0 {
		return p, nil
	}
	return nil, jsontree.Locate(file, string(src), d.faults)
}
