package schema

import (
	"math/big"
	"strconv"
	"strings"
)

// number makes the nth different number within the bounds of n, as near to 1
// as they allow; nil where none can be written.
func number(n *node, integer bool, nth int) []byte {
	lo, loOpen := edge(n, "minimum", "exclusiveMinimum")
	hi, hiOpen := edge(n, "maximum", "exclusiveMaximum")
	step := rat(n.get("multipleOf"))
	if integer && (step == nil || !step.IsInt()) {
		whole := big.NewRat(1, 1)
		if step != nil { // a multiple of 0.5 or 2/3 that is whole
			whole.SetInt(step.Num())
		}
		step = whole
	}
	grid := step
	if grid == nil || grid.Sign() <= 0 {
		grid = big.NewRat(1, 1)
		if lo != nil && hi != nil && new(big.Rat).Sub(hi, lo).Cmp(big.NewRat(60, 1)) < 0 {
			grid = new(big.Rat).Quo(new(big.Rat).Sub(hi, lo), big.NewRat(64, 1))
		}
	}
	v := big.NewRat(1, 1)
	if lo != nil && v.Cmp(lo) < 0 {
		v.Set(lo)
	}
	if hi != nil && v.Cmp(hi) > 0 {
		v.Set(hi)
	}
	down := hi != nil && v.Cmp(hi) == 0 && (lo == nil || v.Cmp(lo) > 0)
	if step != nil && step.Sign() > 0 {
		v = aligned(v, step, !down)
	}
	move := new(big.Rat).Set(grid)
	if down {
		move.Neg(move)
	}
	if loOpen && v.Cmp(lo) == 0 || hiOpen && v.Cmp(hi) == 0 {
		v = new(big.Rat).Add(v, move)
	}
	other := new(big.Rat).Add(v, new(big.Rat).Mul(move, big.NewRat(int64(nth), 1)))
	if lo != nil && other.Cmp(lo) < 0 || hi != nil && other.Cmp(hi) > 0 {
		other = v // there aren't so many; the check tells whether they must differ
	}
	return decimal(other)
}

// edge returns a bound, and whether it itself is left out.
func edge(n *node, key, strict string) (*big.Rat, bool) {
	raw, without := bound(n, key, strict)
	if raw == "" {
		return nil, false
	}
	v, _ := new(big.Rat).SetString(raw)
	return v, without
}

// aligned is the next multiple of step, up or down.
func aligned(v, step *big.Rat, up bool) *big.Rat {
	q := new(big.Rat).Quo(v, step)
	k, rest := new(big.Int).DivMod(q.Num(), q.Denom(), new(big.Int))
	if up && rest.Sign() != 0 {
		k.Add(k, big.NewInt(1))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(k), step)
}

// maxDigits is how many digits behind the point a made number may have.
const maxDigits = 20

func decimal(v *big.Rat) []byte {
	if v.IsInt() {
		if s := v.Num().String(); len(s) <= maxNumber {
			return []byte(s)
		}
		f, _ := v.Float64()
		return []byte(strconv.FormatFloat(f, 'e', -1, 64))
	}
	return []byte(strings.TrimRight(v.FloatString(maxDigits), "0"))
}

func rat(n *node) *big.Rat {
	if n == nil || n.kind != '0' {
		return nil
	}
	v, ok := new(big.Rat).SetString(string(n.raw))
	if !ok {
		return nil
	}
	return v
}

// whole reads a length or a count; 0 where there is none.
func whole(n *node) int {
	if n == nil || n.kind != '0' {
		return 0
	}
	f, err := strconv.ParseFloat(string(n.raw), 64)
	if err != nil || f < 0 || f > 1e9 {
		return 1e9
	}
	return int(f)
}
