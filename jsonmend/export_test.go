package jsonmend

// Steps mends b and tells how often the tokenizer looked at a byte.
func Steps(b []byte, o Options) (int, error) {
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	n := 0
	if _, err := mend(b, o, &n); err != nil {
		return n, err
	}
	return n, nil
}
