// Package push delivers tasks' events to the receivers that clients have
// configured (A2A 1.0 §3.1.7, §4.3.3).
//
// Guarantees:
//
//   - Off the task's path: a receiver that is slow, down or hostile costs the
//     task, its other receivers and its subscribers nothing.
//   - In order: one receiver gets one task's events one after the other; the
//     next is sent when the last was taken or given up. At least once: an event
//     whose answer was lost, or that was taken just before a crash, comes again.
//   - An event that is not taken is sent again after 1 s, doubling to 60 s, with
//     jitter, or when the receiver says so (Retry-After, up to 5 min), for
//     Options.RetryFor. Then the task as it is by then takes the place of all
//     that has happened, if anything has, and has the same time again.
//   - What a receiver refuses for good (4xx but for 408, 425 and 429, a private
//     address, a redirect that leaves the host) is dropped at once. The next
//     event is tried all the same, not before the time that a retry would take.
//   - What has queued up is joined: neighbouring chunks of an artifact go out in
//     one notification. A receiver of 0.3 gets the whole task at each change of
//     its status (its §9.5), so that chunks alone send it nothing.
//   - A receiver that waits costs a goroutine and no more: no connection, and
//     nothing of the task's content, which is read when there is a slot to send
//     it. At most Options.Concurrency are sent to at once, half of them for one
//     named caller, and a quarter for one caller at one host. At most 1,000 are
//     behind at once, waiting to be sent to or to be tried again: of the caller
//     who has most, at the host with most of those, the one that has been for
//     longest is given up, and still owed what it was.
//   - What was delivered is kept with the task: after a restart delivery goes
//     on behind it. A task that was forgotten, the oldest of too many that have
//     ended, is owed to nobody any more whose last attempt failed.
//
// Every goroutine ends with Close.
//
// Reading order: dispatcher.go, worker.go (one receiver), join.go, slots.go,
// stats.go.
package push
