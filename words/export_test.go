package words

// Drifts is what a plan's Reader reads beside the plan's syntax.
func Drifts() []Form { return drifts() }

// Work is how many bytes the Reader looked at.
func (r *Reader) Work() int { return r.work }
