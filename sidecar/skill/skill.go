package skill

import (
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// The names of the files in a skill's folder that are read.
const (
	File  = "SKILL.md"
	Tools = "tools.json"
)

// The bounds of one skill, as the format has them, and of what is read.
const (
	maxName          = 64
	maxDescription   = 1024 // characters
	maxCompatibility = 500  // characters
	maxFile          = 128 << 10
	maxFront         = 32 << 10
	maxTools         = 256 << 10 // bytes of a tools.json
	maxToolCount     = 50        // tools of one skill
	maxFaults        = 20        // that are told of one file
)

// Skill is one skill. It is shared and must not be changed.
type Skill struct {
	Name        string
	Description string
	License     string
	// Compatibility says what the skill needs, in words.
	Compatibility string
	// Metadata is what its author has added, nil for nothing.
	Metadata map[string]string
	// AllowedTools are the tools that it means to use. They allow nothing here: the rules do.
	AllowedTools []string
	// Body is the text after the front matter.
	Body string
	// Dir is the folder, an absolute path.
	Dir string
	// Root is where the folder was found.
	Root *Root
	// Tools are those that it brings while it is loaded; nil for none.
	Tools []*manifest.Tool

	real string // Dir without links
}

// Shown reports whether models and callers are told of the skill, and whether its tools count.
func (s *Skill) Shown() bool { return s.Root.Shown }

// Root is a directory in which the folders of skills are.
type Root struct {
	// Path is the directory, as it is named in messages.
	Path string
	// Base is the directory that links may not lead out of, and Path is below it; "": Path itself.
	Base string
	// Shown says that its skills are told of, and may bring tools: somebody vouches for them.
	Shown bool
}

// Parse reads the text of a SKILL.md. file is its name in messages, folder that of the folder that it is in. The
// warnings do not keep it from being used. Dir, Root and Tools are not set.
func Parse(file, folder string, data []byte) (s *Skill, warnings, faults jsontree.Faults) {
	p := parser{file: file, folder: folder, skill: &Skill{}}
	p.read(data)
	if len(p.faults) > 0 {
		return nil, p.warnings, p.faults
	}
	return p.skill, p.warnings, nil
}
