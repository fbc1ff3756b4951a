package turn

import "slices"

// maxForgotten is how many contexts whose session was closed are remembered.
const maxForgotten = 10000

// forgotten holds the contexts whose session was closed, the oldest first.
type forgotten struct {
	order []string
	set   map[string]struct{}
}

func (f *forgotten) add(id string) {
	if f.set == nil {
		f.set = map[string]struct{}{}
	}
	if _, known := f.set[id]; known || id == "" {
		return
	}
	if len(f.order) == maxForgotten {
		delete(f.set, f.order[0])
		f.order = f.order[1:]
	}
	f.order, f.set[id] = append(f.order, id), struct{}{}
}

// take reports whether a context is in the list, and removes it.
func (f *forgotten) take(id string) bool {
	_, known := f.set[id]
	if known {
		delete(f.set, id)
		f.order = slices.DeleteFunc(f.order, func(x string) bool { return x == id })
	}
	return known
}
