// Package agents has no code of its own: its tests drive the real agent CLIs,
// pinned, through the sidecar, as their users would.
//
// .ci/agents installs the CLIs, builds the sidecar and runs these tests where
// there is no network but loopback; without that they are skipped. Each agent
// gets a HOME of its own and a model that says what the test tells it to.
//
// Reading order: steps_test.go (what must hold for every agent), wrong_test.go
// (messages at the wrong moment), many_test.go (sessions, a hundred turns,
// overhead), cli_test.go (the agents and their
// configuration), rig_test.go (an agent under a sidecar), turn_test.go (a
// message and what comes back), givetools_test.go (our tools in the agents' hands) with
// snapshot_test.go (their files), place_test.go (what may be left behind),
// model_test.go (the model) and model_*_test.go (its four APIs).
//
// structured_test.go drives the agents that are spoken to in messages through the rows of
// structured_rows_test.go, and parity_test.go all modes of one agent through one script.
//
// govern_test.go starts agents that have no tools but ours: govern_agents_test.go says what each has of its own,
// govern_steps_test.go what is asked of it, and govern_plant_test.go what it starts without --govern and not with it.
// make govern is that for all of them.
//
// make givetools is givetools_test.go with approvals that take longer: 90 seconds, or HOLD.
// make mixed is mixed_test.go: many messages of every kind and cancels at any
// moment, counted.
package agents
