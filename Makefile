# Everything here is one go command away; the names are for the hand.
.PHONY: build test check fmt bench live mcp
export FERRULE_LIVE

build: ## the program, in bin/ferrule
	go build -o bin/ferrule ./cmd/ferrule

test: ## what the README says
	go test ./...

check: ## the whole gate
	.ci/run

fmt:
	go tool -modfile=tools/go.mod gofumpt -w .

bench: ## the figures of docs/performance.md
	go test -run '^$$' -bench "AgainstReverseProxy|Serve" -benchtime 2000x ./gateway
	go test -run "^$$" -bench . ./words ./protocol/openai ./args ./jsonmend
	cd conformance && go test -run "^$$" -bench . -benchtime 300ms ./speed

live: ## a real server, bare and through the gateway: make live FERRULE_LIVE=http://127.0.0.1:8080
	go test -tags live -count=1 -timeout 30m -run Live ./gateway
	cd conformance && go test -tags live -count=1 -timeout 0 -v -run Live ./live

mcp: ## the tools of published MCP servers through every schema dialect; needs npm
	cd conformance && go test -tags mcp -count=1 -timeout 20m -v ./mcp
