package config

import (
	"testing"
	"time"
)

func TestReadBudget(t *testing.T) {
	for _, c := range []struct {
		text string
		want Budget
		err  string
	}{
		{"calls=3", Budget{Calls: 3}, ""},
		{"cost=0.5, time=1h30m", Budget{CostUSD: 0.5, Time: 90 * time.Minute}, ""},
		{"calls=1,cost=2,time=3s", Budget{1, 2, 3 * time.Second}, ""},
		{"", Budget{}, `holds "", which is no KEY=VALUE; ` + budgetShape},
		{"3", Budget{}, `holds "3", which is no KEY=VALUE; ` + budgetShape},
		{"calls=0", Budget{}, `calls="0" is not a whole number above 0`},
		{"calls=-1", Budget{}, `calls="-1" is not a whole number above 0`},
		{"calls=1.5", Budget{}, `calls="1.5" is not a whole number above 0`},
		{"cost=0", Budget{}, `cost="0" is not a number of USD above 0, as in 0.5`},
		{"cost=NaN", Budget{}, `cost="NaN" is not a number of USD above 0, as in 0.5`},
		{"cost=Inf", Budget{}, `cost="Inf" is not a number of USD above 0, as in 0.5`},
		{"calls=1,calls=2", Budget{}, `gives "calls" twice; give it once`},
		{"tokens=5", Budget{}, `has "tokens", which is no budget; ` + budgetShape},
	} {
		b, err := readBudget(c.text)
		switch {
		case c.err == "" && (err != nil || b != c.want):
			t.Errorf("%q: %+v, %v, want %+v", c.text, b, err, c.want)
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%q: %v, want %s", c.text, err, c.err)
		}
	}
	if _, err := readBudget("time=0s"); err == nil {
		t.Error("a time of 0 is taken")
	}
}
