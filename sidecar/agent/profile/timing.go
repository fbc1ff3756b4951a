package profile

import "time"

// Timing is how long the sidecar waits for an agent, and how often it tries. In a
// file, durations are whole milliseconds. A field that a file does not give has the
// value of [DefaultTiming].
type Timing struct {
	// What the screen must have said for so long before it is believed. AskingHold is
	// for a question, ReadyHold for an agent that was seen at work, UnsureHold for one
	// that was not, PromptHold for the prompt of a line editor.
	AskingHold time.Duration `json:"askingHold"`
	ReadyHold  time.Duration `json:"readyHold"`
	UnsureHold time.Duration `json:"unsureHold"`
	PromptHold time.Duration `json:"promptHold"`
	// MarkHold is how long a shell's mark D waits for the mark of its prompt.
	MarkHold time.Duration `json:"markHold"`
	// GenericHold is how long a rule for every agent must hold against a report.
	GenericHold time.Duration `json:"genericHold"`
	// NothingHold is how long no source may say anything before the state is unknown.
	NothingHold time.Duration `json:"nothingHold"`
	// OppositeHold is how long a lower source must contradict a hook.
	OppositeHold time.Duration `json:"oppositeHold"`
	// Silence alone means ready after that long; LongSilence applies if a prompt was
	// seen before and is not there now.
	Silence     time.Duration `json:"silence"`
	LongSilence time.Duration `json:"longSilence"`

	// What the program that has the terminal waits for is looked at when its output has paused
	// for LookFirst, then after twice that time and so on up to LookMost. A wait for input
	// counts if the program has not woken for LookHold. A look that took some time is followed by
	// none for LookRest times as long, so that all looks together cost less than half a percent of
	// a processor.
	LookFirst time.Duration `json:"lookFirst"`
	LookMost  time.Duration `json:"lookMost"`
	LookHold  time.Duration `json:"lookHold"`
	LookRest  int           `json:"lookRest"`

	// An agent that nobody has described and that draws its screen has started when the kernel
	// says that it waits for its terminal, and what it draws has rested: for StartHold, or as long
	// as its longest pause until then. One that goes on drawing, as a picture that moves, has
	// started when its screen has shown an input for StartMost. PageHold is how long a screen must
	// rest whose program waits for its terminal and for nothing else: it has said all.
	StartHold time.Duration `json:"startHold"`
	StartMost time.Duration `json:"startMost"`
	PageHold  time.Duration `json:"pageHold"`

	// The answer of a program that prints lines, and of which nothing else tells the end, ends
	// after a silence of QuietTimes as long as the longest pause that it has made in the session,
	// at most QuietMost.
	QuietTimes int           `json:"quietTimes"`
	QuietMost  time.Duration `json:"quietMost"`

	// PasteMode is how long an agent that takes pastes may look ready without having
	// asked for them: it has not quite started. Text is typed all the same after that.
	PasteMode time.Duration `json:"pasteMode"`
	// BusyAgain is how long an agent that was ready and is busy before it is typed to gets
	// at least to be ready again, however much of the limit has passed.
	BusyAgain time.Duration `json:"busyAgain"`
	// StaleWork is how long the screen of an agent that says that it is ready may show
	// work and be believed. A row that stays longer was left behind.
	StaleWork time.Duration `json:"staleWork"`
	// DismissLimit is how long a dialog may take to disappear after the keys that close
	// it.
	DismissLimit time.Duration `json:"dismissLimit"`
	// HiddenHold is how long an agent that is ready may show no input before it is made
	// to redraw its screen; BlankHold is how long a screen that shows neither an input
	// nor work may stay unchanged. RedrawGap is the shortest time between two redraws,
	// and ResizeHold how long the other size lasts: agents debounce a resize.
	HiddenHold time.Duration `json:"hiddenHold"`
	BlankHold  time.Duration `json:"blankHold"`
	RedrawGap  time.Duration `json:"redrawGap"`
	ResizeHold time.Duration `json:"resizeHold"`

	// ClearLimit is how long the input may take to become empty. ClearGap is the
	// shortest time between two times that the keys for that are typed: some agents
	// exit if they get them twice in a row.
	ClearLimit time.Duration `json:"clearLimit"`
	ClearGap   time.Duration `json:"clearGap"`
	// EmptyHold is how long the input must have been empty before a message is typed:
	// an agent may put text back there late. EmptyTries is how often an input that does
	// not stay empty is emptied.
	EmptyHold  time.Duration `json:"emptyHold"`
	EmptyTries int           `json:"emptyTries"`

	// KeyGap is how long the screen may take to show a key before the next one is
	// typed, AnswerGap the same for the keys of an answer: on a busy machine, the agent
	// may be about to put another question there.
	KeyGap    time.Duration `json:"keyGap"`
	AnswerGap time.Duration `json:"answerGap"`
	// ShowLimit is how long a message may take to appear in the input. A message that
	// does not appear is lost: Enter is not typed.
	ShowLimit time.Duration `json:"showLimit"`
	// PartHold is how long an input that does not show the end of the message must be
	// quiet: more of it may still come.
	PartHold time.Duration `json:"partHold"`
	// SettleLimit is how long the cursor's row may go on changing after the echo has
	// come, before Enter is typed all the same.
	SettleLimit time.Duration `json:"settleLimit"`
	// TypeTries is how often a message is typed to an agent that begins to work on
	// something else each time.
	TypeTries int `json:"typeTries"`

	// LeaveLimit is how long a message may take to leave the input after Enter.
	LeaveLimit time.Duration `json:"leaveLimit"`
	// StallLimit is how long an agent may draw nothing at all after an Enter: an agent
	// that is busy, or on a busy machine, has not read it yet.
	StallLimit time.Duration `json:"stallLimit"`
	// EnterTries is how often Enter is typed again if the agent takes Enter for a part of
	// the text, as some do soon after a paste. EnterGap is how long the text must have
	// stood with such an Enter in it before the next one.
	EnterTries int           `json:"enterTries"`
	EnterGap   time.Duration `json:"enterGap"`

	// BeginLimit is how long an agent that shows nothing at all of a message may need to
	// begin: an agent that was just started is slow.
	BeginLimit time.Duration `json:"beginLimit"`
	// UntoldHold applies to an agent whose hooks report each turn and have said nothing
	// of this one: its screen is believed only after it has looked ready and drawn
	// nothing for that long. UntoldLimit is the limit if it goes on drawing.
	UntoldHold  time.Duration `json:"untoldHold"`
	UntoldLimit time.Duration `json:"untoldLimit"`
	// ReportLimit is how long after the agent is ready a hook's exact text may come.
	// After that, the screen's text is the answer. MissedTurns is the number of turns
	// without a report after which an agent that has never sent one is not waited for.
	ReportLimit time.Duration `json:"reportLimit"`
	MissedTurns int           `json:"missedTurns"`
	// LateLimit is how long to wait for a screen that shows no answer yet, or that still
	// shows the agent at work, if the agent said that it is done. DrawHold is how long
	// the screen must then be quiet, and DrawLimit how long it may go on changing.
	LateLimit time.Duration `json:"lateLimit"`
	DrawHold  time.Duration `json:"drawHold"`
	DrawLimit time.Duration `json:"drawLimit"`

	// An agent that nobody has described is done when it has been still for long enough: for
	// RestTimes its longest pause in this turn, and at most for RestLimit. At least it is
	// RestHold if something that moved while it worked has gone, or StillHold if nothing
	// has shown its work.
	RestHold  time.Duration `json:"restHold"`
	StillHold time.Duration `json:"stillHold"`
	RestTimes int           `json:"restTimes"`
	RestLimit time.Duration `json:"restLimit"`

	// GoneHold is how long a question must be off the screen before it is withdrawn: a
	// redraw may hide it for a moment.
	GoneHold time.Duration `json:"goneHold"`
	// ReadHold is how long a question must have been on the screen before it is
	// answered: some agents ignore earlier keys, because a person may have typed them
	// for something else.
	ReadHold time.Duration `json:"readHold"`
	// MoveLimit is how long the marker of options may take to move after a key before another
	// key is tried. MoveHold is how long the wanted option must have been the marked one before
	// Enter is typed.
	MoveLimit time.Duration `json:"moveLimit"`
	MoveHold  time.Duration `json:"moveHold"`
	// TakenLimit is how long the agent may take to show a question that it has reported,
	// or that it has taken an answer; SecretLimit how long a program may take with a
	// secret until its echo is back or it prints something.
	TakenLimit  time.Duration `json:"takenLimit"`
	SecretLimit time.Duration `json:"secretLimit"`
	// ReactTime is how long a person goes on pressing keys for a question that has just
	// disappeared.
	ReactTime time.Duration `json:"reactTime"`

	// StopDelay is how long a message may take to leave the input before the keys that
	// stop its turn are typed.
	StopDelay time.Duration `json:"stopDelay"`
	// DeclineDelay is how long a question of a turn that is over may stay on the screen
	// before it is declined: the keys that ended the turn may be about to remove it.
	DeclineDelay time.Duration `json:"declineDelay"`
	// DeclinedLimit is how long a turn whose question was declined may take to end
	// before the keys that stop it are typed.
	DeclinedLimit time.Duration `json:"declinedLimit"`
	// StopAgain is how long an agent may be seen at work after the keys that stop it,
	// before they are typed again; StopTries is how often they are typed again, because
	// a busy agent loses some.
	StopAgain time.Duration `json:"stopAgain"`
	StopTries int           `json:"stopTries"`
	// BackHold is how long the input must not change after an interrupt before we
	// conclude that the agent puts nothing back. BackLimit is how long it may go on
	// changing.
	BackHold  time.Duration `json:"backHold"`
	BackLimit time.Duration `json:"backLimit"`
}

// DefaultTiming returns the timing of an agent whose profile says nothing else. Each
// value was measured with real agents on busy machines.
func DefaultTiming() Timing {
	const ms = time.Millisecond
	return Timing{
		AskingHold: 200 * ms, ReadyHold: 300 * ms, UnsureHold: time.Second, PromptHold: 100 * ms,
		MarkHold: 30 * ms, GenericHold: 2 * time.Second, NothingHold: 300 * ms, OppositeHold: time.Second,
		Silence: 5 * time.Second, LongSilence: 30 * time.Second,

		LookFirst: 10 * ms, LookMost: 250 * ms, LookHold: 20 * ms, LookRest: 200,
		StartHold: time.Second, StartMost: 3 * time.Second, PageHold: 300 * ms,
		QuietTimes: 3, QuietMost: time.Minute,

		PasteMode: 2 * time.Second, BusyAgain: 5 * time.Second, StaleWork: 5 * time.Second, DismissLimit: 2 * time.Second,
		HiddenHold: 2 * time.Second, BlankHold: 5 * time.Second, RedrawGap: 5 * time.Second, ResizeHold: 500 * ms,

		ClearLimit: time.Second, ClearGap: time.Second, EmptyHold: 200 * ms, EmptyTries: 3,

		KeyGap: 150 * ms, AnswerGap: 2 * time.Second, ShowLimit: 5 * time.Second, PartHold: time.Second,
		SettleLimit: 2 * time.Second, TypeTries: 5,

		LeaveLimit: 3 * time.Second, StallLimit: 20 * time.Second, EnterTries: 4, EnterGap: 700 * ms,

		BeginLimit: 20 * time.Second, UntoldHold: 10 * time.Second, UntoldLimit: 30 * time.Second,
		ReportLimit: time.Second, MissedTurns: 2, LateLimit: time.Second, DrawHold: 25 * ms, DrawLimit: 250 * ms,

		RestHold: 400 * ms, StillHold: 3 * time.Second, RestTimes: 3, RestLimit: 5 * time.Second,

		GoneHold: 250 * ms, ReadHold: 600 * ms, MoveLimit: 700 * ms, MoveHold: 100 * ms, TakenLimit: 5 * time.Second, SecretLimit: 30 * time.Second, ReactTime: 300 * ms,

		StopDelay: 500 * ms, DeclineDelay: time.Second, DeclinedLimit: 3 * time.Second,
		StopAgain: 2 * time.Second, StopTries: 2, BackHold: 300 * ms, BackLimit: 2 * time.Second,
	}
}
