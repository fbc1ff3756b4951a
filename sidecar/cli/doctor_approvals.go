package cli

import (
	"os"
	"runtime"
)

const approvalsWorth = `While the agent runs as the sidecar's user, an approval stops accidents, not malice: a
program of that user can drive another terminal of yours, or have somebody else's
program answer. Against malice give the agent a user of its own (--user, which needs
root), and let only an authenticated caller approve: sidecar help approvals.`

// examineApprovals says whether the agent's own processes can be told from others here.
func examineApprovals() checkup {
	_, err := os.Stat("/proc/self/stat")
	return checkup{Name: "approvals", Facts: []fact{ownProcesses(runtime.GOOS, err)}, Worth: approvalsWorth}
}

// ownProcesses says what a connection tells of its holder on a system; noProc is why there is no
// /proc.
func ownProcesses(system string, noProc error) fact {
	f := fact{Name: "own processes", OK: true, Text: "are recognised by their connections: none of them may answer what the agent asks"}
	switch {
	case system != "linux":
		f.OK, f.Text = false, "cannot be told from others on this system: whatever can reach the port may answer what the agent asks, "+
			"and a call that the agent makes there without its channel's token counts as a client's"
	case noProc != nil:
		f.OK, f.Text = false, "cannot be seen: /proc is not mounted, and every answer from this machine is refused"
	}
	return f
}
