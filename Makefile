# `make help` lists the targets. The work is in tools/.
.DEFAULT_GOAL := help
.PHONY: help setup demo test dev cli bench chaos soak fuzz clients screenshots lint fresh clean

# The pinned Node, from `make setup`, comes first in PATH.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# For `demo`, `soak` and `bench`, whether set in the environment or on make's command line. The commands that make runs
# never have the token in their arguments.
export URL TOKEN MINUTES SESSIONS PART QUICK

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## tools, container engine and images, into a cache that clones share
	@tools/setup.sh
	@tools/with-engine true

demo: ## the tour: snapshot, break, restore, branch, switch, delete, on real files; URL= TOKEN=: of a deployment
ifdef URL
	@tools/setup.sh --node
	@node tools/demo.ts
else
	@tools/build.sh --release
	@tools/with-engine node tools/demo.ts
endif

test: ## every test, native and end to end
	@tools/test.sh

dev: ## the Worker on 127.0.0.1:8787 (PORT=), rebuilt on every change; AGENT=FILE.ts: beside a Worker of yours
	@tools/build.sh --dev
	@RUN_NAME=dev tools/with-engine node tools/dev.ts

cli: ## the command line `snapshotter`; prints its path
	@cargo build --release --locked --manifest-path cli/Cargo.toml --target-dir target/cli
	@echo $(CURDIR)/target/cli/release/snapshotter

bench: ## times and sizes beside their floors, as a table and as JSON; PART=looks: one part; QUICK=1: on little data, to try it
	@tools/build.sh --release
	@tools/with-engine node tools/bench.ts

chaos: ## workerd, containers and the engine killed at random moments; CHAOS_ROUNDS=100, about ten minutes
	@tools/build.sh --test
	@CHAOS_ALONE=1 CHAOS_ROUNDS=$${CHAOS_ROUNDS:-100} tools/with-engine node --test tests/e2e/chaos.test.ts

soak: ## sessions side by side, and what was lost; MINUTES=10 SESSIONS=4; URL= TOKEN=: against a deployment
ifdef URL
	@tools/setup.sh --node
	@node tools/soak.ts
else
	@tools/build.sh --release
	@tools/with-engine node tools/soak.ts
endif

fuzz: ## random bytes against every parser of outside bytes; FUZZ_SECONDS=60 for each; QUICK=1: to try it
	@tools/setup.sh
	@tools/fuzz.sh

clients: ## the generated code of clients/, and docs/openapi-3.0.json, after a change of docs/openapi.json
	@tools/setup.sh --node
	@clients/generate.sh

screenshots: ## the pictures of docs/console.md, after a change of console/
	@tools/build.sh --dev
	@tools/with-engine node tools/screenshots.ts

lint: ## formatting, lints, documentation and types
	@tools/lint.sh

fresh: ## `make demo` and `make test` on a minimal Debian with nothing cached, as root; COMMAND= another one
	@tools/fresh-root.sh $${COMMAND:+"$$COMMAND"}

clean: ## what was built here; not the shared cache
	rm -rf .local/build .local/wasm .local/log .local/state target tools/*/target clients/typescript/dist examples/node_modules
