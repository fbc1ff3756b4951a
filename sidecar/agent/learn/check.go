package learn

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// patternMax is how long a pattern of a profile is at most, in bytes.
const patternMax = 1000

// checked is the last file that was checked.
type checked struct {
	draft   string // the JSON of what was checked
	file    File
	profile *profile.Profile
}

// File returns what was learnt so far as a valid profile. Ask HasInput first: without an input a
// profile is not possible.
func (l *Learner) File(name string) File {
	f := l.draft(name)
	if draft := string(f.JSON()); l.checked.draft != draft {
		l.checked = checked{draft: draft}
		l.checked.file, l.checked.profile = f.check()
	}
	return l.checked.file
}

// check returns the file without the parts that a profile refuses, and the profile that the file
// makes. The profile is nil if there is no input.
func (f File) check() (File, *profile.Profile) {
	p, err := profile.Parse(f.Name+".json", f.JSON())
	if faults, ok := errors.AsType[jsontree.Faults](err); ok {
		f.Unsure = slices.Clone(f.Unsure)
		for _, fault := range slices.Backward(faults) { // a list is shortened from its end
			f.leaveOut(strings.Split(strings.TrimPrefix(fault.Pointer, "/"), "/"), fault.Message)
		}
		p, err = profile.Parse(f.Name+".json", f.JSON())
	}
	if err != nil {
		return f, nil
	}
	p.Asks, p.GenericAsks = profile.Generic().Asks, true // an agent may ask while its input stays on the screen
	return f, p
}

// leaveOut removes the part that a path points to, and lists it in Unsure.
func (f *File) leaveOut(path []string, why string) {
	field, at := path[0], -1
	if len(path) > 1 {
		if n, err := strconv.Atoi(path[1]); err == nil {
			at = n
		} else {
			field += "." + path[1]
		}
	}
	if len(path) > 2 && at < 0 {
		if n, err := strconv.Atoi(path[2]); err == nil {
			at = n
		}
	}
	one := map[string]*string{
		"prompt.next": &f.Prompt.Next, "prompt.above": &f.Prompt.Above, "prompt.below": &f.Prompt.Below,
		"answer.echo": &f.Answer.Echo, "answer.text": &f.Answer.Text, "answer.body": &f.Answer.Body,
	}
	many := map[string]*[]string{
		"prompt.empty": &f.Prompt.Empty, "answer.drop": &f.Answer.Drop, "interrupt": &f.Interrupt, "clear": &f.Clear,
	}
	switch {
	case one[field] != nil:
		*one[field] = ""
	case many[field] != nil:
		without(many[field], at)
	case field == "signs":
		without(&f.Signs, at)
	case field == "answer.live" && path[len(path)-1] == "up" && 0 <= at && at < len(f.Answer.Live):
		f.Answer.Live = slices.Clone(f.Answer.Live)
		f.Answer.Live[at].Up = ""
	case field == "answer.live":
		without(&f.Answer.Live, at)
	default:
		return
	}
	f.Unsure = append(f.Unsure, field+": a part was left out: "+why)
}

// without removes an element of a list, if it is there.
func without[T any](list *[]T, at int) {
	if 0 <= at && at < len(*list) {
		*list = slices.Delete(slices.Clone(*list), at, at+1)
	}
}
