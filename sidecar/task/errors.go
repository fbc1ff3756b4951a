package task

import "errors"

// Causes that Cancel gives to a task's context. They only ask: the owner
// settles the task.
var (
	// ErrCanceled: a client asked for it.
	ErrCanceled = errors.New("task: canceled")
	// ErrDeadline: the task has reached its deadline.
	ErrDeadline = errors.New("task: deadline exceeded")
	// ErrDraining: the sidecar is shutting down.
	ErrDraining = errors.New("task: shutting down")
)

// Errors of writers and questions.
var (
	// ErrFinished: the task is terminal and never changes again.
	ErrFinished = errors.New("task: finished")
	// ErrQuestionOpen: a task has at most one open question.
	ErrQuestionOpen = errors.New("task: a question is open")
	// ErrNoQuestion: there is nothing to answer.
	ErrNoQuestion = errors.New("task: no question is open")
	// ErrTimeout: nobody answered in time.
	ErrTimeout = errors.New("task: no answer in time")
)
