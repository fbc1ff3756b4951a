//go:build linux && (amd64 || arm64)

package sandbox

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// judgements are the programs that judge system calls, by number. Each ends with a result.
type judgements map[uint32][]unix.SockFilter

func (all judgements) refuse(call uint32, answer unix.Errno) {
	var p program
	p.result(resultErrno(answer))
	all[call] = p.code
}

// when judges a call by body, which may load something else. What body does not answer is allowed.
func (all judgements) when(call uint32, body func(*program)) {
	var p program
	body(&p)
	p.result(resultAllow)
	all[call] = p.code
}

// search returns the program that finds the judgement of the number that is loaded. A call without
// one is allowed.
func search(all judgements) []unix.SockFilter {
	return searchIn(all, slices.Sorted(maps.Keys(all)))
}

func searchIn(all judgements, calls []uint32) []unix.SockFilter {
	var p program
	if len(calls) == 1 {
		body := all[calls[0]]
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, calls[0], 0, uint8(len(body)))
		p.code = append(p.code, body...)
		p.result(resultAllow)
		return p.code
	}
	half := len(calls) / 2
	low := searchIn(all, calls[:half])
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, calls[half], uint8(len(low)), 0) // a jump is at most 255 long: see TestFilter
	p.code = append(p.code, low...)
	p.code = append(p.code, searchIn(all, calls[half:])...)
	return p.code
}

// program is a filter that grows. Its accumulator holds what was loaded last.
type program struct{ code []unix.SockFilter }

func (p *program) add(code uint16, k uint32, jt, jf uint8) {
	p.code = append(p.code, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
func (p *program) and(mask uint32)    { p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0) }
func (p *program) result(r uint32)    { p.add(unix.BPF_RET|unix.BPF_K, r, 0, 0) }

func (p *program) ifEqual(k, result uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, 1)
	p.result(result)
}

func (p *program) unlessEqual(k, result uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 1, 0)
	p.result(result)
}

func (p *program) ifAny(bits, result uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, bits, 0, 1)
	p.result(result)
}

func (p *program) ifAtLeast(k, result uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, k, 0, 1)
	p.result(result)
}

func (p *program) unlessOneOf(list []uint32, result uint32) {
	for i, k := range list {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, uint8(len(list)-i), 0)
	}
	p.result(result)
}
