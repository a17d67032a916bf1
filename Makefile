# `make` lists the targets. Everything is built into target/; only install and uninstall change the system, and test-packages,
# with which test and names begin: it installs packages of Debian's and targets of Rust's.
.DEFAULT_GOAL := help
.PHONY: help build test lint doc bench bench-modes deny constant-time constant-time-msan constant-time-trace wiped wiped-native \
	corpus names test-aarch64 test-avx512 test-capi test-deb test-debian test-engine test-packages test-provider test-workspace \
	prove prove-af-alg prove-asan prove-avx512 prove-debian prove-differential prove-dudect prove-fuzz prove-loom prove-miri \
	prove-openssl-4 prove-provider prove-threads prove-tsan clean

include packaging/install.mk

# Packages outside the workspace: each needs something that a plain build must not.
apart := tests/constant-time tests/dudect tests/differential tests/trace tests/loom tests/aarch64 tests/avx512 fuzz
# With what a plain build leaves out, an implementation that is wrong among it; but for OpenSSL, which takes minutes.
everything := --workspace --locked \
	--features ciphertune/rustcrypto,ciphertune-cli/broken,ciphertune-cli/graviola,ciphertune-cli/ring
# The engine's own tests are built otherwise: see `test-engine`.
tested := $(everything) --exclude ciphertune-engine
# Named together, so that what is below them is built once for all of them, and for the tests of optimised code.
shipped := -p ciphertune-cli -p ciphertune-capi -p ciphertune-provider
# Tests of optimised code alone.
optimised := --test wiped --test stack --test registers
# What takes a processor each, and does not mind what else is done; what takes longest begins.
at_once := test-aarch64 test-avx512 test-debian test-provider constant-time wiped corpus test-capi test-deb
# Nothing of make's own jobs, which cargo may not join and would warn of.
export CARGO_MAKEFLAGS :=

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9.-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## The command, the C library and the OpenSSL provider, optimised: target/release/
	cargo build --release --locked $(shipped)
	crates/capi/link "$(release)"
	packaging/pages "$(release)/ciphertune" "$(release)/pages"
	packaging/notices "$(release)/notices"

test: test-packages ## Every quick test; installs what they need if it can
	cargo test $(tested) --no-run
	# The workspace's tests wait more than they compute, and compilers fill that.
	$(MAKE) --no-print-directory -j2 --output-sync=target test-workspace test-engine build
	# What is built is not looked at again: else whatever needs it would wait until all others have begun.
	$(MAKE) --no-print-directory -j2 --output-sync=target --old-file=build $(at_once)

test-workspace: ## The tests of the crates but for the engine's own (part of test)
	cargo test $(tested)

test-engine: ## The engine's own, with each access checked (part of test)
	# It takes more stack without optimisation.
	RUST_MIN_STACK=67108864 cargo test --profile checked --locked -p ciphertune-engine --lib --features probe

names: test-packages ## Writes down which algorithms each library of Debian has, 11 to the newest: crates/catalog/tests/names
	CIPHERTUNE_NAMES=write cargo test $(tested) --test gate --test peers --test providers
	CIPHERTUNE_NAMES=write $(MAKE) --no-print-directory test-debian prove-debian

lint: ## Formatting, and clippy with warnings as errors; of what stands apart too
	cargo fmt --all --check
	# Tests of optimised code are not among the targets that are all.
	cargo clippy $(everything) --all-targets $(optimised) -- -D warnings
	# Built where the workspace is, so that AWS-LC is built once. What tests/constant-time has for MemorySanitizer needs neither
	# valgrind nor libclang.
	for package in $(apart); do ( \
		[ $$package != tests/constant-time ] || export RUSTFLAGS='--cfg msan'; \
		cargo fmt --manifest-path $$package/Cargo.toml --check && \
		cargo clippy --manifest-path $$package/Cargo.toml --locked --all-targets --target-dir "$(built)" -- -D warnings \
	) || exit; done
	tests/elsewhere

doc: ## The documentation, warnings as errors: target/doc
	RUSTDOCFLAGS='-D warnings' cargo doc $(everything) --no-deps

bench: ## What AES is to reach, beside other libraries and the machine's bound; what a call from C costs more
	cargo bench --locked -p ciphertune-cli
	cargo bench --locked -p ciphertune-capi
	RUSTFLAGS='--cfg aes_backend="soft"' cargo bench --locked -p ciphertune-cli --target-dir target/soft

bench-modes: ## Every mode but CTR: each length, share of the machine's bound, and aws-lc-rs beside it
	cargo bench --locked -p ciphertune-measure --bench modes

corpus: ## Replays what fuzzing found worth keeping (part of test)
	cargo test --manifest-path fuzz/Cargo.toml --locked --target-dir "$(built)"

wiped: ## That no key is left in memory, on the stack and in registers, in optimised code (part of test)
	cargo test --release --locked $(shipped) -p ciphertune $(optimised)

wiped-native: ## The same of a build for this processor alone
	RUSTFLAGS=-Ctarget-cpu=native cargo test --release --locked -p ciphertune $(optimised) --target-dir "$(built)/native"

constant-time: ## Portable and AES-NI code under valgrind, key and data secret (part of test)
	tests/constant-time/run

constant-time-msan: ## The same of all code, VAES and AVX-512 too, with MemorySanitizer
	tests/constant-time/run-msan

constant-time-trace: ## The machine code that is shipped, VAES and AVX-512 too, step by step with different secrets
	tests/trace/run

test-provider: build ## The OpenSSL provider under ssh, nginx, curl, openvpn, Python and Node (part of test)
	tests/provider/run "$(release)"

test-debian: ## The libraries of Debian 11 and 13, OpenSSL 1.1 and 3.5 among them, through the gate (part of test)
	tests/debian "$(release)" 11 $(tested)
	tests/debian "$(release)" 13 $(tested)

test-capi: build ## The C library as it is installed, from C and C++, under valgrind and ASan (part of test)
	tests/capi/run "$(release)"

test-deb: build ## The Debian packages, installed and removed (part of test)
	tests/deb "$(release)"

test-aarch64: ## The kernels of AArch64 under qemu, known answers and all; needs the target or nightly (part of test)
	tests/aarch64/run

test-avx512: ## The kernels of AVX-512 under Bochs, where the machine has none (part of test)
	tests/avx512/run

# What takes longer than a test should; outcomes: docs/PROOFS.md
# What is skipped is not proved.
prove: export CIPHERTUNE_SKIP ?= never
prove: constant-time-msan constant-time-trace prove-af-alg prove-asan prove-avx512 prove-debian prove-differential prove-dudect prove-fuzz prove-loom prove-miri prove-openssl-4 prove-provider prove-threads prove-tsan wiped-native ## All that takes longer than a test should

prove-af-alg: build ## The kernel's own ciphers, by AF_ALG, in Debian's kernel in a virtual machine
	tests/af-alg "$(release)" $(tested)

prove-asan: ## The OpenSSL provider under AddressSanitizer, every implementation
	tests/asan

prove-avx512: ## The same on every machine, each length to 2100 bytes
	tests/avx512/run 2100

prove-openssl-4: build ## The newest OpenSSL 4 of Debian's source under the provider and through the gate; and the one built in
	tests/openssl-4 "$(release)"
	cargo test --locked -p ciphertune-catalog --features openssl --lib --test gate --test public_keys

prove-provider: build ## The provider under the OpenSSL and the programs of Debian 13 and of Debian's newest, and our packages there
	packaging/deb "$(release)" >/dev/null
	tests/provider/release "$(release)" trixie
	tests/provider/release "$(release)" sid

prove-debian: ## What test-debian does, of Debian's newest
	tests/debian "$(release)" sid $(tested)

prove-differential: ## Every implementation against the portable one, at every offset; ONLY="vaes512 gcm" for a part
	tests/differential/run $(ONLY)

prove-dudect: ## Timing statistics of the code that valgrind cannot run
	tests/dudect/run

prove-miri: ## Each mode by each implementation, and lent work, under Miri; needs nightly
	tests/miri

prove-loom: ## The threads' ring and pool in every order of their steps, by a model checker
	tests/loom/run

prove-threads: ## Thousands of random lives of streams with threads: forks, seeks, drops
	CIPHERTUNE_ROUNDS=3000 cargo test --locked -p ciphertune --test processes random_lives

prove-tsan: ## Streams with threads under ThreadSanitizer; needs nightly
	tests/tsan

prove-fuzz: ## Each fuzz target for SECONDS=60; needs nightly and cargo-fuzz
	fuzz/run $(SECONDS)

deny: ## Licences, sources and duplicates of all dependencies, by cargo-deny
	tests/deny

test-packages: ## What the tests need, from Debian; says what is missing where it may not install
	tests/packages

clean: ## Removes target/
	cargo clean
