package proc

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// User says as which user a process runs.
type User struct {
	UID, GID uint32
	// Groups are the supplementary groups; our own are never kept.
	Groups []uint32
}

// ParseUser reads "UID" or "UID:GID", both numbers. Without a GID, the group and the
// supplementary groups come from the user database. If the database does not know the uid, the
// gid is the same number and there are no supplementary groups.
func ParseUser(s string) (*User, error) {
	uidText, gidText, hasGID := strings.Cut(s, ":")
	uid, err := parseID(s, "uid", uidText)
	if err != nil {
		return nil, err
	}
	if hasGID {
		gid, err := parseID(s, "gid", gidText)
		if err != nil {
			return nil, err
		}
		return &User{UID: uid, GID: gid}, nil
	}
	u := &User{UID: uid, GID: uid}
	if entry, err := user.LookupId(uidText); err == nil {
		u.fill(entry)
	}
	return u, nil
}

func parseID(whole, what, s string) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	// The largest number means "unchanged" to the kernel.
	if err != nil || n == 1<<32-1 {
		return 0, fmt.Errorf("user %q: %s %q is not a number from 0 to 4294967294 (id -u NAME prints it)", whole, what, s)
	}
	return uint32(n), nil
}

// fill takes the groups from a database entry. If the groups cannot be read, only the entry's
// own group is taken.
func (u *User) fill(entry *user.User) {
	if gid, err := strconv.ParseUint(entry.Gid, 10, 32); err == nil {
		u.GID = uint32(gid)
	}
	ids, err := entry.GroupIds()
	if err != nil {
		return
	}
	for _, id := range ids {
		if g, err := strconv.ParseUint(id, 10, 32); err == nil && uint32(g) != u.GID {
			u.Groups = append(u.Groups, uint32(g))
		}
	}
}

// Credential returns what to ask the kernel for, nil if we already are that user and could not
// ask anyway, or if u is nil.
func (u *User) Credential() *syscall.Credential {
	if u == nil || !isRoot() && u.isUs() {
		return nil
	}
	return &syscall.Credential{Uid: u.UID, Gid: u.GID, Groups: u.Groups}
}

func (u *User) isUs() bool {
	return u.UID == uint32(os.Getuid()) && u.GID == uint32(os.Getgid())
}

func isRoot() bool { return os.Geteuid() == 0 }
