# SPDX-License-Identifier: GPL-2.0
# Lets Kbuild compile Rust library crates into one loadable module, with the kernel's own flags.
# Included by Kbuild, whose macros it uses: $(rust_flags), if_changed_dep, $(depfile), cmd_objtool.
#
#   $(call rust-lib,NAME,ROOT,IMPORTS,FLAGS)       a crate of ours: kernel lints, clippy, stable Rust only
#   $(call rust-vendored,NAME,ROOT,IMPORTS,FLAGS)  a crate of others: lints capped; FLAGS give --edition and --cfg
#   $(call rust-imports,IMPORTS)                   the same imports for the top crate, which Kbuild's own rule compiles
#
# Each makes crates/NAME.o and crates/libNAME.rmeta. IMPORTS are crates declared before it: nothing else can
# be named in a `use`, so the import direction of ARCHITECTURE.md is kept by the compiler.
# kernel, macros, pin_init, zerocopy and zerocopy_derive come from the kernel tree and may be listed too.

crates := $(obj)/crates
crate-objs :=
kernel-crates := kernel pin_init zerocopy zerocopy_derive

quiet_cmd_rustc_crate = $(if $(crate-own),$(RUSTC_OR_CLIPPY_QUIET),RUSTC) L $(quiet_modtag) $@
      cmd_rustc_crate = \
	OBJTREE=$(abspath $(objtree)) RUST_MODFILE=$(modfile) \
	$(if $(crate-own),$(RUSTC_OR_CLIPPY),$(RUSTC)) \
	$(filter-out $(crate-skip),$(rust_flags)) $(crate-flags) \
	--sysroot=/dev/null -Zunstable-options -L $(objtree)/rust -L $(crates) \
	--crate-type rlib --crate-name $(basename $(notdir $@)) \
	--out-dir $(dir $@) --emit=dep-info=$(depfile) --emit=obj=$@ \
	--emit=metadata=$(@D)/lib$(basename $(notdir $@)).rmeta $< \
	$(cmd_objtool)$(if $(filter $(crates-that-allocate),$(basename $(notdir $@))),,$(cmd_no_alloc))

# Only iced-x86 and what it is made of may allocate through liballoc: see rust/kalloc.
crates-that-allocate := alloc kalloc spin lazy_static iced_x86
cmd_no_alloc = ; if $(NM) -u $@ | grep '__rust_\(re\)\?alloc' >&2; then \
	echo >&2 "$@: allocates through liballoc; use kapi::mem"; rm -f $@; false; fi

define rust-crate
$$(crates)/$(1).o: private crate-own := $(5)
$$(crates)/$(1).o: private crate-skip := $(if $(5),,--edition=% -W% -D% -Aclippy::%)
$$(crates)/$(1).o: private crate-flags = $$(addprefix --extern ,$(3)) $(4)
$$(crates)/$(1).o: $(2) $$(patsubst %,$$(crates)/%.o,$(filter-out $(kernel-crates),$(3))) FORCE
	+$$(call if_changed_dep,rustc_crate)
targets += crates/$(1).o
clean-files += crates/lib$(1).rmeta
crate-objs += crates/$(1).o
endef
# CRATE_FLAGS= of the command line goes to the crates of ours only: `make ... CRATE_FLAGS=-Dwarnings`.
rust-lib = $(eval $(call rust-crate,$(1),$(2),$(3),-Zallow-features= $(CRATE_FLAGS) $(4),y))
rust-vendored = $(eval $(call rust-crate,$(1),$(2),$(3),--cap-lints=allow $(4),))
rust-imports = -L $(crates) $(addprefix --extern ,$(1))

# liballoc, from the sources that come with the compiler. Its edition moved with Rust 1.87.
RUST_LIB_SRC ?= $(shell $(RUSTC) --print sysroot)/lib/rustlib/src/rust/library
alloc-edition := $(if $(call rustc-min-version,108700),2024,2021)
# How this compiler names the allocator's symbols; see rust/kalloc.
alloc-cfg := $(if $(call rustc-min-version,108900),--cfg alloc_shim_v2)
