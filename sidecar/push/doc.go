// Package push delivers tasks' events to the receivers that clients have
// configured (A2A 1.0 §3.1.7, §4.3.3).
//
// Guarantees:
//
//   - Delivery does not block the task: a receiver that is slow, down or hostile costs the
//     task, its other receivers and its subscribers nothing.
//   - Delivery is in order: a receiver gets the events of a task one after the other; the
//     next one is sent after the last was accepted or given up. Delivery is at least once:
//     an event whose answer was lost, or that was accepted just before a crash, is sent
//     again.
//   - An event that is not accepted is sent again after 1 s, doubling to 60 s, with jitter,
//     or when the receiver says so (Retry-After, up to 5 min), for Options.RetryFor. Then,
//     if anything has happened since, the current state of the task replaces all these
//     events and is retried for the same time again.
//   - An event that a receiver refuses permanently (4xx except 408, 425 and 429, a private
//     address, a redirect that leaves the host) is dropped at once. The next event is still
//     tried, but not earlier than a retry would be.
//   - Queued events are joined: neighbouring chunks of an artifact go out in one
//     notification. A receiver of 0.3 gets the whole task at each change of its status (its
//     §9.5), so that chunks alone send it nothing.
//   - A receiver that waits costs a goroutine and no more: no connection, and nothing of
//     the task's content, which is read when there is a slot to send it. At most
//     Options.Concurrency notifications are sent at once, half of them for one named
//     caller, and a quarter for one caller at one host. At most 1,000 receivers are behind
//     at once, waiting for a slot or for another attempt. If there are more, one is given
//     up: of the caller that has the most, at the host with the most of those, the one that
//     has been behind for longest. It is still owed its events.
//   - The position of the delivery is kept with the task: after a restart, delivery
//     continues from there. If a task was forgotten, because it was the oldest of too many
//     that have ended, a receiver whose last attempt failed is not owed its events any
//     more.
//
// Every goroutine ends with Close.
//
// Reading order: dispatcher.go, worker.go (one receiver), join.go, slots.go,
// stats.go.
package push
