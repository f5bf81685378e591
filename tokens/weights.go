package tokens

// unit is what a token weighs.
const unit = 1000

// What is counted.
const (
	word   = iota // a run of Latin letters; it ends where an upper case letter follows a lower case one
	middle        // the sixth to ninth letter of a word
	long          // each letter beyond
	digit
	triple // three digits, or what is left of a number
	joined // one mark that stands before a letter
	mark   // any other run of marks, four at most
	space  // white space but for a single blank, sixteen at most
	accent // a Latin letter beyond ASCII, beside what it counts in its word
	letter // of another alphabet
	han
	kana
	hangul
	other // whatever else: signs, pictures, bytes that are no text
	kinds
)

// weights are tokens for each of what is counted, in thousandths.
type weights [kinds]int

// families lists the estimators; the first one stands for a model of which
// nothing is known.
var families = []struct {
	name    string
	weights weights
}{
	// word, middle, long, digit, triple, joined, mark, space, accent, letter, han, kana, hangul, other
	{"general", weights{820, 139, 420, 300, 1141, 986, 1034, 1147, 324, 433, 555, 603, 829, 2129}},
	{"cl100k", weights{849, 117, 586, 0, 1329, 951, 875, 963, 750, 738, 916, 1015, 1261, 2216}},
	{"o200k", weights{862, 114, 275, 0, 1283, 710, 1029, 1075, 269, 351, 558, 693, 820, 2192}},
	{"llama3", weights{789, 168, 556, 0, 1321, 899, 921, 1079, 702, 438, 626, 608, 841, 1997}},
	{"qwen", weights{804, 145, 544, 706, 724, 947, 940, 1034, 485, 498, 459, 608, 906, 2142}},
	{"deepseek", weights{788, 162, 435, 0, 1329, 1214, 1112, 995, 345, 428, 393, 636, 921, 2286}},
	{"mistral", weights{791, 187, 371, 1002, 343, 808, 1125, 1185, 0, 397, 826, 613, 716, 1815}},
	{"gemma", weights{884, 53, 316, 605, 941, 1286, 1111, 1575, 297, 318, 473, 466, 748, 2203}},
	{"llama2", weights{926, 78, 664, 610, 1046, 1598, 1201, 1361, 1029, 803, 904, 1024, 1506, 2390}},
}
