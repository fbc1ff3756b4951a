# What a person types. `.ci/run` does all of it, and more, on a clean checkout.

VERSION ?= dev
PREFIX ?= /usr/local

.PHONY: build install test check fuzz soak bench tools belt escapes thousand interop agents qwen mixed givetools structured parity govern unseen unseen-cuts image strangers learn

build:
	.ci/binary bin/sidecar $(VERSION)

install: build
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	install -m 755 bin/sidecar $(DESTDIR)$(PREFIX)/bin/sidecar

test:
	go test -race -shuffle=on -count=1 ./...

check:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	go mod tidy -diff

fuzz:
	.ci/fuzz 10s

# A line a minute for half an hour; RSS, descriptors, goroutines, processes and disk must stay flat.
soak:
	.ci/soak 30m

# The first line measures the whole in pairs of its own; the rest are pairs per iteration.
bench:
	go test -run '^$$' -bench . -benchtime 1x ./sidecar ./manifest
	go test -run '^$$' -bench 'Card|Tools|SSE' -benchtime 200x ./a2a/server
	go test -run '^$$' -bench . -benchtime 200x ./sidecar/call ./sidecar/turn ./sidecar/channel
	go test -run '^$$' -bench 'Spawn$$' -benchtime 200x ./proc
	go test -run '^$$' -bench '64MiB' -benchtime 5x ./proc ./proc/tty
	go test -run '^$$' -bench . -benchtime 5x ./sidecar/task

# The sidecar's own tools beside ripgrep and fd, read and edit without a process, and a new skill until it can be loaded: one table.
tools:
	.ci/tools

# The tools of examples/tool-belt in their sandbox: git, cc, go, python3 and npm have to be here.
belt:
	SIDECAR_BELT=1 go test -run '^TestBelt' -count=1 -v ./sidecar

# What a tool's program does to get at more than its tool requires: without a sandbox, with it, and what holds it;
# each way out of the workspace by each of the sidecar's own tools; another call's proxy, 400 programs at once, and 10 GiB of output, for which it takes 1 GiB in TMPDIR.
escapes:
	go test -run '^(TestEachEscapeByEachTool|TestBashUnderSwaps|TestFileToolsUnderSwaps)$$' -count=1 -v ./sidecar/call
	SIDECAR_ESCAPES=1 go test -run '^(TestToolEscapes|TestEscapesByLayer|TestAnotherCallsProxy|TestSpawnsLeaveTheSidecarFree|TestTenGiBOfOutput)$$' -count=1 -v ./sidecar

# The recordings of all agents, cut at every hundredth of a second instead of every tenth: no rule says ready while an agent works or asks.
unseen-cuts:
	SIDECAR_CUTS=10ms go test -race -run '^(TestNoRuleSaysReady|TestCutsFindAWrongRule)$$' -count=1 ./sidecar/agent

# A thousand tool calls at once, with processes: never two writes together, no wait over three times the mean.
thousand:
	SIDECAR_THOUSAND=1 go test -run ThousandProcesses -count=1 -v ./sidecar/call

interop: build
	.ci/interop

# claude, codex, gemini and opencode, installed outside the checkout, against a model that only echoes.
agents:
	.ci/agents

# Qwen Code, by the same tests: it would make that run two minutes longer.
qwen:
	SIDECAR_AGENTS_PIN='qwen @qwen-code/qwen-code@0.15.10' .ci/agents -test.run '^(TestAgents|TestScreenAlone|TestScreenOnly|TestOneshot)$$/^qwen$$'

# Messages of every length and kind to one agent, or all of them, and cancels at
# any moment: what was lost, doubled, mixed, wrong or stuck, and what was told as
# failed. `make mixed AGENT=codex SEED=7` is that run again.
AGENT ?=
MESSAGES ?= 100
CANCELS ?= 50
SEED ?= 0

mixed:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestMixed$$' -test.timeout 3h -agent '$(AGENT)' -messages $(MESSAGES) -cancels $(CANCELS) -seed $(SEED)

# A tool of ours, given to each agent, whose call waits HOLD for its approval; the table is printed at the end.
HOLD ?= 90s

givetools:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestGiveTools$$' -test.timeout 2h -agent '$(AGENT)' -hold $(HOLD)

# Agents that have no tools but ours: what each model is offered, and what runs; the table is printed at the end.
govern:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^Test(Govern|Strict)' -test.timeout 2h -agent '$(AGENT)' -govern all

# Agents that are spoken to in messages, row by row; the table is printed at the end. ONLY=codex/acp,claude/stream for some.
ONLY ?= all

structured:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestStructured$$' -test.timeout 2h -structured '$(ONLY)'

# One client's script through every mode of every agent: what differs is in the table.
parity:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestParity$$' -test.timeout 2h -parity '$(ONLY)'

# Programs of which the sidecar has no profile, all that are installed: what a client gets from each; the table is printed at the end.
unseen:
	.ci/unseen all

# Agents that are known as if nobody had described them, beside the same with their profiles: what is lost is in the table.
strangers:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestStrangers$$' -test.timeout 1h -strangers -agent '$(AGENT)'

# What sidecar profile learn writes of three agents, and 20 messages to each of them with that profile.
learn:
	SIDECAR_AGENTS_ONCE=1 .ci/agents -test.run '^TestLearn$$' -test.timeout 1h -strangers -agent '$(AGENT)'

image:
	.ci/image
