// Package await is how tests wait: for an event, for what nothing tells of, for a line
// of a log. What does not come within [Patience] fails the test. Only tests import it.
package await
