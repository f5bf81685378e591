// Command ferrule gives models their tools: a gateway in front of any
// OpenAI-compatible endpoint, and a demonstration of it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"
)

// What the program ends with.
const (
	exitGood  = 0
	exitFail  = 1
	exitUsage = 2
)

type commands struct {
	Serve    serveCmd    `cmd:"" help:"Run the gateway. Without a configuration it serves what it finds on this machine."`
	Models   modelsCmd   `cmd:"" help:"List the models and how they take tools."`
	Mend     mendCmd     `cmd:"" help:"Read almost-JSON from a file or the standard input and print JSON, or say why not."`
	Check    checkCmd    `cmd:"" help:"Check a call's arguments against its tool and print them as they would be run, or what a model would be told."`
	Read     readCmd     `cmd:"" help:"Read the tool calls in an answer, from a file or the standard input, and print them."`
	Classify classifyCmd `cmd:"" help:"Tell what a provider's error means, and what would be done about it."`
	Prompt   promptCmd   `cmd:"" help:"Print what a model reads of its tools where they travel in words, and how many tokens that takes."`
	Schema   schemaCmd   `cmd:"" help:"Print a tool's schema, from a file or the standard input, as a provider takes it."`
	Shape    shapeCmd    `cmd:"" help:"Print a conversation, from a file or the standard input, in the form that a provider takes."`
	Probe    probeCmd    `cmd:"" help:"Find out what a model can do by asking it, and learn that."`
	Learned  learnedCmd  `cmd:"" help:"Show what was learned of models, or forget it."`
	Profile  profileCmd  `cmd:"" help:"Show what is known of a model, and which line says so."`
	Syntaxes syntaxesCmd `cmd:"" help:"List the call syntaxes that are read and written, with the families of models that they serve."`
	Stats    statsCmd    `cmd:"" help:"Show how a running gateway's tool calls came out, by model."`
	Demo     demoCmd     `cmd:"" help:"Show one tool round trip with a model that has no tools API."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// program is what a command has of the world.
type program struct {
	ctx    context.Context
	stdout io.Writer
	stderr io.Writer
	lookup func(string) (string, bool) // of the environment
	name   string                      // what errors begin with; "": ferrule
}

// usageError is a mistake in the command line that only a command can see.
type usageError struct{ error }

func main() {
	runtime.MemProfileRate = 0 // nothing reads the profile, and keeping it takes 1.5 MB
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	p := &program{ctx: ctx, stdout: os.Stdout, stderr: os.Stderr, lookup: os.LookupEnv}
	os.Exit(p.run(os.Args[1:]))
}

// run executes one command line and returns the exit code.
func (p *program) run(args []string) (code int) {
	var c commands
	asked := -1 // kong ends the program after --help
	k, err := kong.New(&c,
		kong.Name("ferrule"),
		kong.Description("Ferrule joins tools to language models: every model gets its tools."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(n int) { asked = n }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return p.fail(err)
	}
	parsed, err := k.Parse(args)
	switch {
	case asked >= 0:
		return asked
	case err != nil:
		return p.fail(usageError{err})
	}
	return p.fail(parsed.Run(p))
}

// fail tells an error and returns its exit code.
func (p *program) fail(err error) int {
	if err == nil {
		return exitGood
	}
	fmt.Fprintln(p.stderr, cmp.Or(p.name, "ferrule")+": "+onScreen(err.Error()))
	var u usageError
	if errors.As(err, &u) {
		fmt.Fprintln(p.stderr, "Run ferrule --help for what there is.")
		return exitUsage
	}
	return exitFail
}
