# `make` lists the targets. Everything is built into target/; only test-packages changes the system.
.DEFAULT_GOAL := help
.PHONY: help build test lint doc bench bench-modes deny constant-time wiped prove prove-differential prove-dudect prove-miri \
	test-packages clean

# Packages outside the workspace: each needs something that a plain build must not.
apart := tests/constant-time tests/dudect tests/differential
with_broken := -p ciphertune-catalog -p ciphertune-cli --features broken

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## The command, optimised: target/release/ciphertune
	cargo build --release --locked

test: test-packages ## Every quick test; installs what they need if it can
	cargo test --workspace --locked
	cargo test --locked $(with_broken)
	$(MAKE) --no-print-directory wiped constant-time

lint: ## Formatting, and clippy with warnings as errors
	cargo fmt --all --check
	for package in $(apart); do cargo fmt --manifest-path $$package/Cargo.toml --check || exit; done
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --all-targets --locked $(with_broken) -- -D warnings

doc: ## The documentation, warnings as errors: target/doc
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --locked

bench: ## The figures that AES-CTR is to reach, as ratios within one run
	cargo bench --locked -p ciphertune-cli
	RUSTFLAGS='--cfg aes_backend="soft"' cargo bench --locked -p ciphertune-cli --target-dir target/soft

bench-modes: ## Every mode but CTR: each length, share of the machine's bound, and aws-lc-rs beside it
	cargo bench --locked -p ciphertune --bench modes

wiped: ## That no key is left in memory: optimised code (part of test)
	cargo test --release --locked -p ciphertune --test wiped

constant-time: ## Portable and AES-NI code under valgrind, key and data secret (part of test)
	tests/constant-time/run

prove: prove-differential prove-dudect prove-miri ## What takes longer than a test should; outcomes: docs/PROOFS.md

prove-differential: ## Every implementation against the portable one, at every offset
	tests/differential/run

prove-dudect: ## Timing statistics of the code that valgrind cannot run
	tests/dudect/run

prove-miri: ## The portable code under Miri; needs nightly
	tests/miri

deny: ## Licences, sources and duplicates of all dependencies, by cargo-deny
	tests/deny

test-packages: ## What the tests need, from Debian; says what is missing where it may not install
	tests/packages

clean: ## Removes target/
	cargo clean
