// Package words gives tools to models that have no tools API: it tells them in
// text which tools there are and how to call one, and reads the calls that they
// write out of their answers while these stream in.
//
// A Syntax is one way of writing calls, in one file, known to the rest by one
// row of the table. A Plan turns a request with tools into one without: the
// contract, the earlier calls and fenced results in text, the framing values at
// the very end. A Reader takes the answer's bytes, in whatever pieces they
// come, and gives out words and written calls; what comes out doesn't depend on
// how the bytes were cut.
//
// Nothing here does I/O or keeps state between requests.
package words
