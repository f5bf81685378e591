package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ferrule/ferrule/chat"
	"github.com/ferrule/ferrule/tokens"
	"github.com/ferrule/ferrule/words"
)

// promptCmd prints what a model reads of its tools where they travel in words.
type promptCmd struct {
	Tools     string `help:"The tools: a list, as OpenAI, Anthropic, Gemini or MCP write them." placeholder:"FILE"`
	Syntax    string `help:"The call syntax; see ferrule syntaxes." placeholder:"NAME"`
	Level     string `help:"full, short or names: how much is told of the tools. The one that fits --window where it isn't said." placeholder:"LEVEL"`
	Window    int    `help:"The model's context window in tokens." placeholder:"TOKENS"`
	Estimator string `help:"The family of models whose tokens are estimated." placeholder:"NAME"`
	Choice    string `help:"required, or the name of a tool: print what stands at the end of the prompt too." placeholder:"CHOICE"`
	Single    bool   `help:"At most one call in an answer."`
	JSON      bool   `name:"json" help:"Print {contract, tail, level, tokens}."`
}

// toldPrompt is what --json prints.
type toldPrompt struct {
	Contract string         `json:"contract"`
	Tail     string         `json:"tail,omitempty"`
	Level    string         `json:"level"`
	Tokens   map[string]int `json:"tokens"` // of the contract, by level
}

func (c promptCmd) Run(p *program) error {
	p.name = "ferrule prompt"
	tools, err := toolsOf(c.Tools)
	if err != nil {
		return usageError{err}
	}
	syntax, ok := words.Lookup(c.Syntax)
	if !ok {
		return usageError{fmt.Errorf("--syntax is %q: a model can be asked for %s", c.Syntax, strings.Join(words.Names(), ", "))}
	}
	estimator, ok := tokens.Named(c.Estimator)
	if !ok {
		return usageError{fmt.Errorf("--estimator is %q: it must be one of %s", c.Estimator, strings.Join(tokens.Names(), ", "))}
	}
	level, err := c.level(syntax, tools, estimator)
	if err != nil {
		return err
	}
	told := toldPrompt{
		Contract: words.Contract(syntax, tools, level, !c.Single),
		Level:    level.String(), Tokens: map[string]int{},
	}
	for _, l := range words.Levels() {
		told.Tokens[l.String()] = estimator.Count(words.Contract(syntax, tools, l, !c.Single))
	}
	if told.Tail, err = c.tail(syntax, tools); err != nil {
		return usageError{err}
	}
	return c.print(p, told)
}

// level is the one that was asked for, else the one that fits.
func (c promptCmd) level(syntax words.Syntax, tools []chat.Tool, e tokens.Estimator) (words.Level, error) {
	if c.Level == "" {
		level, _, err := words.Fit(syntax, tools, c.Window, e)
		return level, err
	}
	level, ok := words.LevelNamed(c.Level)
	if !ok {
		return 0, usageError{fmt.Errorf("--level is %q: it must be one of full, short, names", c.Level)}
	}
	return level, nil
}

// tail is what stands at the end of the prompt; "" without a choice.
func (c promptCmd) tail(syntax words.Syntax, tools []chat.Tool) (string, error) {
	t := words.Tail{Tools: tools, Parallel: !c.Single, Frame: words.Frame{Toolset: words.Toolset(tools), Nonce: strings.Repeat("0", 12)}}
	switch c.Choice {
	case "":
		return "", nil
	case string(chat.ChoiceRequired):
		t.Choice.Mode = chat.ChoiceRequired
	default:
		t.Choice = chat.Choice{Mode: chat.ChoiceNamed, Name: c.Choice}
		for _, tool := range tools {
			if tool.Name == c.Choice {
				return string(syntax.WriteTail(nil, t)), nil
			}
		}
		return "", fmt.Errorf("--choice is %q, which is neither required nor the name of a tool", c.Choice)
	}
	return string(syntax.WriteTail(nil, t)), nil
}

func (c promptCmd) print(p *program, told toldPrompt) error {
	if c.JSON {
		return printLine(p.stdout, told)
	}
	fmt.Fprintln(p.stdout, onScreen(told.Contract))
	if told.Tail != "" {
		fmt.Fprintf(p.stdout, "\n%s\n", onScreen(told.Tail))
	}
	fmt.Fprintf(p.stderr, "about %d tokens (%s)", told.Tokens[told.Level], told.Level)
	for _, l := range words.Levels() {
		if name := l.String(); name != told.Level {
			fmt.Fprintf(p.stderr, ", %d %s", told.Tokens[name], name)
		}
	}
	fmt.Fprintln(p.stderr)
	return nil
}

// toolsOf reads the file of --tools.
func toolsOf(file string) ([]chat.Tool, error) {
	if file == "" {
		return nil, errors.New("--tools FILE says which tools there are")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	tools, err := readTools(b)
	if err != nil {
		return nil, fmt.Errorf("read the tools: %s: %w", file, err)
	}
	return tools, nil
}
