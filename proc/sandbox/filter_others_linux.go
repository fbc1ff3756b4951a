//go:build linux && (amd64 || arm64)

package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// starter stands in a filter for the thread of ours that starts the program, until [forStarter] says
// which one that is. No thread has this number.
const starter = 1<<31 - 1

// forStarter returns a filter for what a thread starts. Until that thread has ended, it is held by the
// same Landlock domain as the program, which could send it a signal: one that kills it kills us.
func forStarter(code []unix.SockFilter, thread int) []unix.SockFilter {
	code = slices.Clone(code)
	for i := range code {
		if code[i].Code == unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K && code[i].K == starter {
			code[i].K = uint32(thread)
		}
	}
	return code
}

// makesOwner are the requests of ioctl that say who gets the signals of a file (FIOSETOWN, SIOCSPGRP).
var makesOwner = []uint32{0x8901, 0x8902}

// ownerByKind is F_SETOWN_EX of fcntl, whose owner is in memory, which a filter cannot read.
const ownerByKind = 15

// others judges the calls that reach another process, which Landlock does not hold: signals to the
// starter, and limits of whoever it is.
func (all judgements) others() {
	refused := resultErrno(unix.EPERM)
	for call, place := range map[uint32]uint32{
		unix.SYS_KILL: dataFirst, unix.SYS_TKILL: dataFirst, unix.SYS_RT_SIGQUEUEINFO: dataFirst, unix.SYS_PIDFD_OPEN: dataFirst,
		unix.SYS_TGKILL: dataSecond, unix.SYS_RT_TGSIGQUEUEINFO: dataSecond,
	} {
		all.when(call, func(p *program) {
			p.load(place)
			p.ifEqual(starter, refused)
		})
	}
	all.when(unix.SYS_FCNTL, func(p *program) {
		p.load(dataSecond)
		p.ifEqual(ownerByKind, refused)
		p.unlessEqual(unix.F_SETOWN, resultAllow)
		p.load(dataThird)
		p.ifEqual(starter, refused)
	})
	all.when(unix.SYS_PRLIMIT64, func(p *program) {
		p.load(dataFirst)
		p.unlessEqual(0, refused)
	})
}
