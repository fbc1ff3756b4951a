package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// delegationSettings are those of the agents to which the tool task gives work, and of what a task may use.
func delegationSettings() []Setting {
	return []Setting{
		{Name: "agents", Value: "FILE",
			Doc:  "agents that the tool task gives work to; followed",
			bind: func(c *Config) value { return text(&c.Agents) }},
		{Name: "budget", Value: "KEY=VALUE,…",
			Doc:  "most of each task: calls=N, cost=USD, time=D",
			bind: func(c *Config) value { return budget(&c.Budget) }},
		{Name: "task-depth", Rare: true, Value: "N", Default: "3",
			Doc:  "how often work may be given on to another agent",
			bind: func(c *Config) value { return number(&c.TaskDepth, 0, 100) }},
		{Name: "task-number", Rare: true, Value: "N", Default: "8",
			Doc:  "sub-agents of one task at once",
			bind: func(c *Config) value { return number(&c.TaskNumber, 1, 1000) }},
		{Name: "task-timeout", Rare: true, Value: "D", Default: "1h",
			Doc:  "longest that a sub-agent may work",
			bind: func(c *Config) value { return duration(&c.TaskTimeout, positive) }},
	}
}

// Budget is the most that one task may use. 0: any.
type Budget struct {
	Calls   int64
	CostUSD float64
	Time    time.Duration
}

const budgetShape = `write it as in "calls=50,cost=0.5,time=10m", with one or more of these`

// budget reads KEY=VALUE,….
func budget(p *Budget) value {
	return field[Budget]{p, readBudget, func(b Budget) string {
		var words []string
		if b.Calls > 0 {
			words = append(words, "calls="+strconv.FormatInt(b.Calls, 10))
		}
		if b.CostUSD > 0 {
			words = append(words, "cost="+strconv.FormatFloat(b.CostUSD, 'f', -1, 64))
		}
		if b.Time > 0 {
			words = append(words, "time="+formatDuration(b.Time))
		}
		return strings.Join(words, ",")
	}}
}

func readBudget(s string) (b Budget, err error) {
	given := map[string]bool{}
	for _, word := range strings.Split(s, ",") {
		key, v, ok := strings.Cut(strings.TrimSpace(word), "=")
		if !ok {
			return b, fmt.Errorf("holds %q, which is no KEY=VALUE; %s", word, budgetShape)
		}
		if given[key] {
			return b, fmt.Errorf("gives %q twice; give it once", key)
		}
		given[key] = true
		switch key {
		case "calls":
			if b.Calls, err = strconv.ParseInt(v, 10, 64); err != nil || b.Calls < 1 {
				return b, fmt.Errorf("calls=%q is not a whole number above 0", v)
			}
		case "cost":
			if b.CostUSD, err = strconv.ParseFloat(v, 64); err != nil || !(b.CostUSD > 0) || math.IsInf(b.CostUSD, 0) {
				return b, fmt.Errorf("cost=%q is not a number of USD above 0, as in 0.5", v)
			}
		case "time":
			if b.Time, err = parseDuration(v, positive); err != nil {
				return b, fmt.Errorf("time=%q: %w", v, err)
			}
		default:
			return b, fmt.Errorf("has %q, which is no budget; %s", key, budgetShape)
		}
	}
	return b, nil
}
