# Entry point for all project tasks; `make help` lists them.
SHELL := bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Use the tools that `scripts/setup` built for this checkout, and the toolchain that it chose if the pinned
# one is not installed.
export PATH := $(CURDIR)/.cache/tools/bin:$(PATH)
TOOLCHAIN := $(shell cat .cache/toolchain 2>/dev/null)
ifneq ($(TOOLCHAIN),)
export RUSTUP_TOOLCHAIN ?= $(TOOLCHAIN)
endif

# The wasm entry is built separately: a joint build would enable leptos `ssr` and `hydrate` at once. All other
# steps use the same packages and features, so that they share compiled artifacts.
HUB := --workspace --exclude plexus-frontend --features plexus-app/ssr
WASM := -p plexus-frontend --target wasm32-unknown-unknown
TARGET := $(or $(CARGO_TARGET_DIR),target)
BUNDLE := public/pkg/plexus_bg.wasm

##@ Use
.PHONY: run demo demo-network
run: ## Start the hub on http://127.0.0.1:3000, with SQLite in ./data
	@scripts/setup run
	@$(MAKE) build
	@exec $(TARGET)/debug/plexus serve
demo: ## Start a hub with a small real model and two agents of other makers
	@scripts/setup demo
	@$(MAKE) build
	@exec scripts/demo
demo-network: ## Start three hubs on this machine that find each other, each with an agent of its own
	@scripts/setup run
	@$(MAKE) build
	@exec scripts/demo-network

##@ Build
.PHONY: build build-tests wasm release clean
build: wasm ## Build the hub and the wasm bundle for this machine, quickly
	@cargo build $(HUB) --bin plexus
# One command for the hub and its tests: cargo joins their features, and compiles each crate once.
build-tests: wasm ## Build the wasm bundle, the hub and all Rust tests
	@cargo build $(HUB) --lib --bins --tests --examples
wasm: ## Build only the wasm bundle
	@find public -name '*.br' -delete
	@cargo build $(WASM) --profile wasm
	@$(MAKE) $(BUNDLE)
$(BUNDLE): $(TARGET)/wasm32-unknown-unknown/wasm/plexus_frontend.wasm
	@wasm-bindgen --target web --no-typescript --out-dir public/pkg --out-name plexus $<
release: ## Build target/release/plexus, one file with everything inside, its checksum and its bill of materials
	@scripts/setup release
	@$(MAKE) wasm
	@scripts/pack.mjs
	@cargo build $(HUB) --bin plexus --release
	@scripts/sbom $(TARGET)/release/plexus.cdx.json
	@cd $(TARGET)/release && sha256sum plexus plexus.cdx.json >plexus.sha256
	@ls -lh $(TARGET)/release/plexus | awk '{ print "$(TARGET)/release/plexus is ready (" $$5 ")" }'
clean: ## Remove what was built and installed for this checkout; ./data stays
	@rm -rf $(TARGET) .cache public/pkg e2e/node_modules e2e/bench/lighthouse/node_modules e2e/shots tests/agents/js/node_modules tests/conformance-kits/node_modules tests/js-libp2p/node_modules
	@find public -name '*.br' -delete

##@ Check
.PHONY: check test test-rust test-browser test-long fmt fmt-check names lint lint-hub lint-wasm doc deny audit migrations
check: ## Check formatting and names, run clippy on the hub and the unit tests of changed crates: before each commit
	@scripts/check
test: ## Install what the tests need, then run all of them
	@scripts/test
test-rust: ## Run the Rust tests, on SQLite and on a Postgres of their own
	@scripts/test-rust $(TESTS)
test-browser: ## Run the browser tests on the hub that `make build` made
	@scripts/with-postgres npm --prefix e2e test --silent -- $(or $(TESTS),specs/)
test-long: ## Run kills at hundreds of moments, a minute of inputs per decoder, and more cases of each property
	@scripts/test-long
fmt: ## Format the Rust code
	@cargo fmt --all
fmt-check:
	@cargo fmt --all --check
lint: names lint-hub lint-wasm ## Check names and words, and run clippy on the hub and on the wasm side; a warning is an error
names:
	@scripts/check-names.mjs
lint-hub:
	@cargo clippy $(HUB) --all-targets -- -D warnings
lint-wasm:
	@cargo clippy $(WASM) -- -D warnings
doc: ## Build the documentation of the code; a warning is an error
	@RUSTDOCFLAGS="-D warnings" cargo doc $(HUB) --no-deps --document-private-items
migrations:
	@diff <(ls migrations/sqlite) <(ls migrations/postgres) && echo "The two databases have migrations of the same names."
deny: ## Check licences, bans and sources of all dependencies
	@cargo deny --log-level error check licenses bans sources
audit: ## Look up known holes in dependencies (needs a network)
	@scripts/audit

##@ Measure
.PHONY: bench interop
bench: release ## Measure the release build, each number beside its floor; BENCH="relay streams" or "browser first_token" names some of them
	@scripts/bench $(BENCH)
interop: release ## Test the release build with unmodified third-party software; CHECKS="autogpt webui" names some
	@scripts/interop $(CHECKS)

.PHONY: help
help: ## Show this list
	@awk -f scripts/help.awk $(MAKEFILE_LIST)
