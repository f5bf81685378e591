package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// reader walks the parsed file. Walking the tree, instead of decoding into
// structs, keeps the line of everything that is said.
type reader struct {
	file  string
	lines []string
	env   Env
	said  map[string]int // the lines of the keys that were read, by their paths
}

// value is a node that isn't null, and what it is called.
type value struct {
	node ast.Node
	name string // the path, as people write it: providers.local.url
}

// fields says what to do with each key of an object.
type fields map[string]func(v value) error

func open(file string, data []byte, e Env) (r *reader, root ast.Node, err error) {
	r = &reader{file: file, lines: strings.Split(string(data), "\n"), env: e, said: map[string]int{}}
	// The parser is somebody else's: a file must not be able to end the program.
	defer func() {
		if p := recover(); p != nil {
			err = &Error{File: file, Text: "this is no YAML that can be read"}
		}
	}()
	f, perr := parser.ParseBytes(data, 0)
	if perr != nil {
		m := mark{file: file}
		var y yaml.Error
		if errors.As(perr, &y) && y.GetToken() != nil {
			m = r.line(y.GetToken().Position.Line)
			return nil, nil, m.fault("%s", y.GetMessage())
		}
		return nil, nil, m.fault("this is no YAML")
	}
	docs := slices.DeleteFunc(f.Docs, func(d *ast.DocumentNode) bool { return d.Body == nil })
	switch len(docs) {
	case 0:
		return r, nil, nil
	case 1:
		return r, docs[0].Body, nil
	}
	return nil, nil, r.line(docs[1].Body.GetToken().Position.Line).fault("a second document: there must be one")
}

func (r *reader) line(n int) mark {
	return mark{file: r.file, line: n, excerpt: excerpt(r.lines, n)}
}

func (r *reader) at(n ast.Node) mark {
	if n == nil {
		return mark{file: r.file}
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	t := n.GetToken()
	if t == nil || t.Position == nil {
		return mark{file: r.file}
	}
	return r.line(t.Position.Line)
}

func (r *reader) fault(v value, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if v.name != "" {
		text = v.name + ": " + text
	}
	return r.at(v.node).fault("%s", text)
}

// members calls f with each key of an object, in order.
func (r *reader) members(v value, f func(key string, at ast.Node, v value) error) error {
	var pairs []*ast.MappingValueNode
	switch n := v.node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	case nil, *ast.NullNode: // a key with everything below it commented out
	default:
		return r.fault(v, "an object of key: value is wanted here")
	}
	for _, p := range pairs {
		k, err := r.scalar(value{p.Key, v.name})
		if err != nil {
			return err
		}
		if p.Key.IsMergeKey() || k == "" {
			return r.fault(value{p.Key, v.name}, "this kind of key isn't read: write it out")
		}
		name := k
		if v.name != "" {
			name = v.name + "." + k
		}
		if err := f(k, p.Key, value{p.Value, name}); err != nil {
			return err
		}
	}
	return nil
}

// object reads an object whose keys are known.
func (r *reader) object(v value, known fields) error {
	return r.members(v, func(key string, at ast.Node, m value) error {
		read, ok := known[key]
		if !ok {
			names := make([]string, 0, len(known))
			for n := range known {
				names = append(names, n)
			}
			return r.fault(value{at, v.name}, "unknown key %q%s", key, meant(key, names))
		}
		r.said[m.name] = r.at(at).line
		return read(m)
	})
}

func (r *reader) list(v value, f func(v value) error) error {
	s, ok := v.node.(*ast.SequenceNode)
	if !ok {
		if v.node == nil || v.node.Type() == ast.NullType {
			return nil
		}
		return r.fault(v, "a list is wanted here")
	}
	for i, n := range s.Values {
		if err := f(value{n, v.name + "[" + strconv.Itoa(i) + "]"}); err != nil {
			return err
		}
	}
	return nil
}

// scalar returns the text of a scalar as the file has it.
func (r *reader) scalar(v value) (string, error) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.MappingKeyNode:
		return r.scalar(value{n.Value, v.name})
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return "", r.fault(v, "anchors, aliases and tags aren't read: write the value out")
	case *ast.NullNode:
		return "", nil
	case ast.ScalarNode:
		return n.GetToken().Value, nil
	}
	return "", r.fault(v, "one value is wanted here")
}

// text returns the text of a scalar with its ${NAME}s filled in.
func (r *reader) text(v value) (string, error) {
	s, err := r.scalar(v)
	if err != nil {
		return "", err
	}
	return r.expand(v, s)
}

// expand replaces every ${NAME}. What a variable holds is never read again for
// more of them, and never as YAML.
func (r *reader) expand(v value, s string) (string, error) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !variable(name) {
			return "", r.fault(v, "${…} must hold the name of an environment variable and be closed")
		}
		val, ok := r.env.lookup(name)
		if !ok {
			return "", r.fault(v, "the environment variable %s isn't set: set it, or take it out here", name)
		}
		b.WriteString(val)
		s = after
	}
}

func variable(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// secret reads a credential: a scalar, or { file: path }.
func (r *reader) secret(v value) (Secret, error) {
	switch v.node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		var path string
		if err := r.object(v, fields{"file": r.string(&path)}); err != nil {
			return "", err
		}
		data, err := r.env.readFile(path)
		if err != nil {
			return "", r.fault(v, "reading the file of this credential: %v", err)
		}
		s := strings.TrimRight(string(data), "\r\n")
		if strings.TrimSpace(s) == "" {
			return "", r.fault(v, "the file %s is empty", path)
		}
		return Secret(s), nil
	}
	raw, err := r.scalar(v)
	if err != nil {
		return "", err
	}
	s, err := r.expand(v, raw)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(s) == "" {
		if name, ok := strings.CutPrefix(raw, "${"); ok {
			return "", r.fault(v, "the environment variable %s is empty", strings.TrimSuffix(name, "}"))
		}
		return "", r.fault(v, "a credential can't be empty: leave the key out where none is needed")
	}
	return Secret(s), nil
}
