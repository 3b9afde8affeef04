# SPDX-License-Identifier: GPL-2.0
# The front door. Everything is built inside the build root (tools/buildroot) and runs in a guest with
# an unmodified distribution kernel (tools/vm); the first target that needs them makes them.
#
# KERNEL= and SUITE= choose another kernel for every target, e.g. `make test KERNEL=7.3`; with KERNEL=debug and
# KERNEL=kcsan it is one that looks for mistakes, with KERNEL=vanilla one of other choices than Debian's. These are built
# here. KDIR= builds against any prepared kernel tree.

.PHONY: help demo test debug check docs module userspace driver drivers selftest vm show bench proof soak matrix install deb module-deb rpm install-test bless clean
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export D KERNEL SUITE MIRROR DTRACE_RS_CACHE DESTDIR PREFIX KREL KDIR WERROR T THOROUGH SIGN_KEY SIGN_CERT

inside := tools/buildroot run --

help: ## prints this
	@echo "DTrace for Linux. The targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 21

demo: ## all set-up, then the tour: module, hello-world driver, its probes listed, traced and counted
	@$(MAKE) module userspace
	@$(MAKE) driver M=demo/hworld
	@tools/vm -- /src/demo/run

test: ## all set-up, then every test: check, module, selftest; ends with the counts
	@tools/test check module selftest

debug: ## builds, once, the kernel of KERNEL=debug: KASAN, lockdep, kmemleak, failing allocations ...
	@KERNEL=$(if $(filter debug kcsan vanilla,$(KERNEL)),$(KERNEL),debug) tools/buildroot ensure

check: ## the host's tests, under a minute: formatting, clippy, unit tests, tidiness
	@tools/test check

docs: ## the manual as a book with search, into build/book/html/
	@tools/buildroot layer mdbook - >/dev/null
	@$(inside) tools/book build/book

module: ## builds dtrace.ko for the guest's kernel, into build/<release>/
	@tools/buildroot ensure
	@$(inside) tools/kbuild . .

userspace: ## builds the dtrace command, into build/<release>/
	@tools/buildroot ensure
	@$(inside) tools/userspace

driver: ## builds a driver folder against the guest's kernel, with dtrace/sdt.h: make driver M=DIR
	@[ -n "$(M)" ] || { echo "which folder? make driver M=DIR"; exit 2; }
	@tools/driver "$(M)"

drivers:
	@tools/driver demo/hworld $(patsubst %/Kbuild,%,$(wildcard selftests/drivers/*/Kbuild))

selftest: ## the tests in the guest; T=WORD runs those whose name has WORD; THOROUGH=1: all their rounds
	@tools/test selftest

vm: ## a shell in the guest, with dtrace.ko inserted
	@$(MAKE) module userspace
	@tools/vm -t 0 -- bash

show: ## what each stage of the compiler makes of a program: make show D='BEGIN { trace(1); }'
	@tools/buildroot ensure
	@$(inside) tools/cargo run --quiet --locked -p d --example show -- "$$D"

bench: ## what tracing costs, ours and bpftrace's and ftrace's, as ratios; B=WORD: rows whose name has WORD
	@$(MAKE) module userspace
	@tools/driver demo/hworld
	@tools/bench $(B)

proof: ## programs of the distribution with all their functions traced must not notice; P=NAME: only that one
	@$(MAKE) module userspace
	@tools/proof $(P)

soak: ## everything at once in the guest, for HOURS=2: fbt, drivers, programs, CPUs off and on, killed consumers, little memory
	@$(MAKE) module userspace drivers
	@tools/soak $(HOURS)

matrix: ## make test with each supported kernel: 7.2, 7.3, its amd64 and rt-amd64, sid's, and KERNEL=vanilla
	@tools/matrix

install: ## installs module, command and header; KERNEL=native: for the kernel that runs here
	@tools/install

deb: ## builds the Debian packages and runs lintian, into build/deb/
	@tools/deb

module-deb: ## builds a package with the module for one kernel (KREL=), for machines without compilers
	@tools/module-deb

rpm: ## builds packages for Fedora and its kin and runs rpmlint, into build/rpm/
	@tools/rpm

install-test: ## installs the packages in a plain Debian by apt and DKMS, boots it and traces; a quarter of an hour
	@tools/install-test

bless: ## rewrites the expected outputs of the host's tests; read the diff before committing
	@tools/buildroot ensure
	@$(inside) env BLESS=1 UPDATE_EXPECT=1 INSTA_UPDATE=always tools/cargo test --workspace --locked --quiet
	@git diff --stat

clean: ## removes what was built here (the build roots stay in the cache: tools/buildroot list)
	rm -rf build target
