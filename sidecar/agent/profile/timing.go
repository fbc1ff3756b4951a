package profile

import "time"

// Timing says how long the sidecar waits for an agent, and how often it tries. In a file,
// durations are whole milliseconds. A field that the file does not give has its value from
// [DefaultTiming].
type Timing struct {
	// What the screen says is believed after it has said so for this long. AskingHold
	// applies to a question, ReadyHold to an agent that is ready after it was seen at work,
	// UnsureHold to one that was not, and PromptHold to the prompt of a line editor.
	AskingHold time.Duration `json:"askingHold"`
	ReadyHold  time.Duration `json:"readyHold"`
	UnsureHold time.Duration `json:"unsureHold"`
	PromptHold time.Duration `json:"promptHold"`
	// MarkHold is how long the mark of a prompt may come after a shell's mark D.
	MarkHold time.Duration `json:"markHold"`
	// GenericHold is how long a rule for every agent must contradict a report to be believed.
	GenericHold time.Duration `json:"genericHold"`
	// ChildHold is how long nothing may move before a program that the agent has started, and that
	// watches the terminal for keys, is taken to ask.
	ChildHold time.Duration `json:"childHold"`
	// NothingHold is how long all sources must say nothing before the state is unknown.
	NothingHold time.Duration `json:"nothingHold"`
	// OppositeHold is how long a lower source must contradict a hook to be believed.
	OppositeHold time.Duration `json:"oppositeHold"`
	// An agent that has been silent for Silence is ready if nothing else tells its state.
	// LongSilence applies instead if a prompt was seen before and is not there now.
	Silence     time.Duration `json:"silence"`
	LongSilence time.Duration `json:"longSilence"`

	// The kernel is asked what the program waits for once its output has paused for LookFirst.
	// The time to the next look doubles, up to LookMost. A wait for input counts if the program
	// has not woken for LookHold. After each look there is none for LookRest times as long as
	// the look took, so that all looks together cost less than half a percent of a processor.
	LookFirst time.Duration `json:"lookFirst"`
	LookMost  time.Duration `json:"lookMost"`
	LookHold  time.Duration `json:"lookHold"`
	LookRest  int           `json:"lookRest"`

	// An agent without a profile that draws its screen has started when it waits for its
	// terminal and its screen has not changed for StartHold, or for as long as its longest
	// pause so far. An agent that never stops drawing has started when an input has been
	// visible for StartMost. A program that waits for its terminal and for nothing else has
	// finished when its screen has not changed for PageHold.
	StartHold time.Duration `json:"startHold"`
	StartMost time.Duration `json:"startMost"`
	PageHold  time.Duration `json:"pageHold"`

	// If only silence ends the answer of a program that prints lines, the silence must be
	// QuietTimes as long as the program's longest pause in the session, and at most QuietMost.
	QuietTimes int           `json:"quietTimes"`
	QuietMost  time.Duration `json:"quietMost"`

	// PasteMode is how long the sidecar waits for an agent that takes pastes to ask for them,
	// although it looks ready. After that it types the text anyway.
	PasteMode time.Duration `json:"pasteMode"`
	// BusyAgain is the least time that an agent gets to be ready again if it became busy
	// before anything was typed, even if the limit of the wait has passed.
	BusyAgain time.Duration `json:"busyAgain"`
	// StaleWork is how long a sign of work on the screen is believed after the agent said
	// that it is ready. If the sign stays longer, the agent has forgotten to erase it.
	StaleWork time.Duration `json:"staleWork"`
	// DismissLimit is how long a dialog may take to disappear after the keys that close it
	// were typed.
	DismissLimit time.Duration `json:"dismissLimit"`
	// An agent that is ready and has shown no input for HiddenHold is made to redraw its
	// screen by a change of the terminal's size. So is one whose screen has shown neither an
	// input nor work, and has not changed, for BlankHold. RedrawGap is the shortest time
	// between two redraws. The other size lasts for ResizeHold, because agents ignore
	// shorter changes.
	HiddenHold time.Duration `json:"hiddenHold"`
	BlankHold  time.Duration `json:"blankHold"`
	RedrawGap  time.Duration `json:"redrawGap"`
	ResizeHold time.Duration `json:"resizeHold"`

	// ClearLimit is how long the input may take to become empty after the keys that clear
	// it. ClearGap is the shortest time before these keys are typed again, because some
	// agents exit if they get them twice in a row.
	ClearLimit time.Duration `json:"clearLimit"`
	ClearGap   time.Duration `json:"clearGap"`
	// EmptyHold is how long the input must have been empty before a message is typed,
	// because an agent may put text back there. EmptyTries is how often the input is cleared
	// if it does not stay empty.
	EmptyHold  time.Duration `json:"emptyHold"`
	EmptyTries int           `json:"emptyTries"`

	// KeyGap is how long the sidecar waits for the screen to show a key before it types the
	// next one. AnswerGap is the same for the keys of an answer to a question; it is longer
	// because the agent may be about to show another question.
	KeyGap    time.Duration `json:"keyGap"`
	AnswerGap time.Duration `json:"answerGap"`
	// ShowLimit is how long a message may take to appear in the input. If it does not
	// appear, it is lost, and Enter is not typed.
	ShowLimit time.Duration `json:"showLimit"`
	// PartHold is how long an input that shows only a part of the message must not change
	// before the message counts as typed.
	PartHold time.Duration `json:"partHold"`
	// SettleLimit is how long the cursor's row may go on changing after the message has
	// appeared. After that, Enter is typed anyway.
	SettleLimit time.Duration `json:"settleLimit"`
	// TypeTries is how often a message is typed if the agent begins to work on something
	// else each time.
	TypeTries int `json:"typeTries"`

	// LeaveLimit is how long a message may take to leave the input after Enter.
	LeaveLimit time.Duration `json:"leaveLimit"`
	// StallLimit is how long an agent may draw nothing after an Enter, because an agent on a
	// busy machine may not have read it yet.
	StallLimit time.Duration `json:"stallLimit"`
	// EnterTries is how often Enter is typed again if the agent adds it to the text, as some
	// do soon after a paste. EnterGap is how long the text must have been there with the
	// added line before the next Enter.
	EnterTries int           `json:"enterTries"`
	EnterGap   time.Duration `json:"enterGap"`

	// BeginLimit is how long an agent may show no reaction to a message, because an agent
	// that has just started is slow.
	BeginLimit time.Duration `json:"beginLimit"`
	// UntoldHold applies to an agent whose hooks report each turn but have not reported this
	// one. Its screen is believed after it has looked ready and drawn nothing for UntoldHold.
	// If it goes on drawing, the screen is believed after UntoldLimit.
	UntoldHold  time.Duration `json:"untoldHold"`
	UntoldLimit time.Duration `json:"untoldLimit"`
	// ReportLimit is how long the sidecar waits for the exact text from a hook after the
	// agent is ready. After that, the text on the screen is the answer. If an agent has never
	// sent a report in MissedTurns turns, the sidecar stops waiting for one.
	ReportLimit time.Duration `json:"reportLimit"`
	MissedTurns int           `json:"missedTurns"`
	// LateLimit is how long the screen may show no answer, or still show work, after the
	// agent said that it is done. The answer is read when the screen has not changed for
	// DrawHold, or after DrawLimit if it goes on changing.
	LateLimit time.Duration `json:"lateLimit"`
	DrawHold  time.Duration `json:"drawHold"`
	DrawLimit time.Duration `json:"drawLimit"`

	// An agent without a profile is done when its screen has not changed for long enough:
	// RestTimes as long as its longest pause in this turn, and at most RestLimit. The least
	// time is RestHold if a sign of work was seen and has disappeared, and StillHold if no
	// sign of work was seen.
	RestHold  time.Duration `json:"restHold"`
	StillHold time.Duration `json:"stillHold"`
	RestTimes int           `json:"restTimes"`
	RestLimit time.Duration `json:"restLimit"`

	// GoneHold is how long a question must be off the screen before it is withdrawn, because
	// a redraw may hide it for a moment.
	GoneHold time.Duration `json:"goneHold"`
	// ReadHold is how long a question must have been on the screen before it is answered.
	// Some agents ignore earlier keys, because a person may have typed them for something
	// else.
	ReadHold time.Duration `json:"readHold"`
	// MoveLimit is how long the marker may take to move to another option after a key. After
	// that, another key is tried. MoveHold is how long the wanted option must have been
	// marked before Enter is typed.
	MoveLimit time.Duration `json:"moveLimit"`
	MoveHold  time.Duration `json:"moveHold"`
	// TakenLimit is how long the agent may take to show a question that it has reported, or
	// to react to an answer. SecretLimit is how long a program may take to print something,
	// or to switch the echo on again, after it got a secret.
	TakenLimit  time.Duration `json:"takenLimit"`
	SecretLimit time.Duration `json:"secretLimit"`
	// ReactTime is how long a person's keys are dropped after a question has disappeared,
	// because they were meant for the question.
	ReactTime time.Duration `json:"reactTime"`

	// StopDelay is how long a message may take to leave the input before the keys that stop
	// its turn are typed.
	StopDelay time.Duration `json:"stopDelay"`
	// DeclineDelay is how long a question may stay on the screen after its turn was stopped.
	// Then it is declined. The keys that stopped the turn usually remove the question.
	DeclineDelay time.Duration `json:"declineDelay"`
	// DeclinedLimit is how long a turn may take to end after its question was declined,
	// before the keys that stop it are typed.
	DeclinedLimit time.Duration `json:"declinedLimit"`
	// StopAgain is how long an agent may be seen at work after the keys that stop it, before
	// they are typed again. StopTries is how often they are typed again, because a busy agent
	// loses some keys.
	StopAgain time.Duration `json:"stopAgain"`
	StopTries int           `json:"stopTries"`
	// BackHold is how long the input must not change after an interrupt before the sidecar
	// concludes that the agent puts no text back there. BackLimit is how long the input may
	// go on changing.
	BackHold  time.Duration `json:"backHold"`
	BackLimit time.Duration `json:"backLimit"`
}

// DefaultTiming returns the timing of an agent whose profile gives none. Each value was
// measured with real agents on busy machines.
func DefaultTiming() Timing {
	const ms = time.Millisecond
	return Timing{
		AskingHold: 200 * ms, ReadyHold: 300 * ms, UnsureHold: time.Second, PromptHold: 100 * ms,
		MarkHold: 30 * ms, GenericHold: 2 * time.Second, ChildHold: 3 * time.Second, NothingHold: 300 * ms, OppositeHold: time.Second,
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
