package profile

// Tokens names the estimator for a model: what the configuration says, else by
// the model's name; "" for one of which nothing is known.
func (p Profile) Tokens(model string) string {
	if p.Estimator != "" {
		return p.Estimator
	}
	return About(model).row(TokensField).Tokens
}
