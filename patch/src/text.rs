// SPDX-License-Identifier: GPL-2.0
//! A piece of text, of the kernel or a module, and reading it as it was before it was patched.

use crate::site;
use core::ops::Range;
use kapi::modules::ModuleRef;
use kapi::{mem, nofault, symbols};
use kernel::prelude::*;
use x86::body::{self, Code, MAX_BODY};
use x86::encoding::{WIDE, WIDE_NOP};

/// Where functions come from.
pub enum Source<'a> {
    /// The kernel proper.
    Kernel,
    /// A module.
    Module(&'a ModuleRef<'a>),
}

impl Source<'_> {
    /// The module part of the probes' names.
    pub fn name(&self) -> &[u8] {
        match self {
            Self::Kernel => b"vmlinux",
            Self::Module(m) => m.name(),
        }
    }

    /// Returns the text that is searched for functions, without the text that is freed after init.
    pub(crate) fn range(&self) -> Range<u64> {
        match self {
            Self::Kernel => symbols::text_range().unwrap_or(0..0),
            Self::Module(m) => m.text_range(),
        }
    }

    /// Tells whether init code was at `addr`, which ran once. `sure`: the symbol is known to be
    /// code.
    pub(crate) fn is_init(&self, addr: u64, sure: bool) -> bool {
        match self {
            Self::Kernel if sure => symbols::init_range().is_some_and(|r| r.contains(&addr)),
            Self::Kernel => symbols::init_text_range().is_some_and(|r| r.contains(&addr)),
            // The symbol table of a module does not contain its init code any more.
            Self::Module(_) => false,
        }
    }

    /// Calls `f` with the symbols until it returns false. Those of the kernel proper come in order
    /// of address. All symbols of a module are passed, because they are few.
    pub(crate) fn symbols(&self, f: &mut dyn FnMut(&[u8], u64) -> bool) -> Result {
        match self {
            Self::Kernel => symbols::kernel_symbols(f),
            Self::Module(m) => {
                m.for_each_symbol(|name, addr, _| {
                    f(name, addr);
                });
                Ok(())
            }
        }
    }

    /// Calls `f` with every symbol.
    pub(crate) fn for_each(&self, f: &mut dyn FnMut(&[u8], u64)) -> Result {
        match self {
            Self::Kernel => symbols::for_each_kernel_symbol(b"", f),
            Self::Module(m) => {
                m.for_each_symbol(|name, addr, _| f(name, addr));
                Ok(())
            }
        }
    }
}

/// Reads the bytes at `addr`. Returns false if they cannot be read.
pub(crate) fn read(addr: u64, into: &mut [u8]) -> bool {
    nofault::read_kernel(addr, into).is_ok()
}

/// Tells whether there is an indirect jump that the kernel has put outside of its text.
pub(crate) fn is_thunk(addr: u64) -> bool {
    let mut there = [0; 4];
    read(addr, &mut there) && body::is_thunk(&there)
}

/// Works like [`read`], with the original bytes where our patches are.
pub(crate) fn read_as_it_was(addr: u64, into: &mut [u8]) -> bool {
    let there = read(addr, into);
    if there {
        site::as_it_was(addr, into);
    }
    there
}

/// A buffer for reading a piece of text function by function.
pub(crate) struct Reader {
    bytes: KVVec<u8>,
    /// The addresses of the bytes in the buffer.
    window: Range<u64>,
    /// Much more will be read, in order of address.
    ahead: bool,
}

impl Reader {
    pub(crate) fn new(ahead: bool) -> Self {
        Self { bytes: KVVec::new(), window: 0..0, ahead }
    }

    /// Returns the code at `start`, in text that ends at `end`. `None`: it cannot be read. It fails
    /// only if memory is short.
    pub(crate) fn code(&mut self, start: u64, size: u64, end: u64) -> Result<Option<Code<'_>>> {
        let behind = start.wrapping_add(size);
        if !(self.window.start <= start && behind <= self.window.end) {
            // A caller that reads here and there needs no more than it asks for.
            let near = start.wrapping_sub(self.window.start) < MAX_BODY as u64;
            let most = if self.ahead && near { MAX_BODY as u64 } else { 0 };
            let much = end.saturating_sub(start).min(most).max(size);
            if !self.fill(start, much)? && (much == size || !self.fill(start, size)?) {
                return Ok(None);
            }
        }
        let from = start.wrapping_sub(self.window.start) as usize;
        let bytes = self.bytes.get(from..from.wrapping_add(size as usize));
        Ok(bytes.map(|bytes| Code { start, bytes }))
    }

    /// Works like [`Self::code`], with ftrace's site at `site` replaced by its nop: the call or
    /// jump of a tracer is no part of the function.
    pub(crate) fn code_untraced(
        &mut self,
        start: u64,
        size: u64,
        end: u64,
        site: u64,
    ) -> Result<Option<Code<'_>>> {
        if self.code(start, size, end)?.is_none() {
            return Ok(None);
        }
        let from = site.wrapping_sub(self.window.start) as usize;
        if let Some(there) = self.bytes.get_mut(from..from.saturating_add(WIDE)) {
            for (to, byte) in there.iter_mut().zip(WIDE_NOP) {
                *to = byte;
            }
        }
        self.code(start, size, end)
    }

    fn fill(&mut self, start: u64, size: u64) -> Result<bool> {
        self.window = 0..0;
        if self.bytes.len() < size as usize {
            drop(core::mem::take(&mut self.bytes));
            self.bytes = mem::filled(size as usize, 0)?;
        }
        let there = self.bytes.get_mut(..size as usize).is_some_and(|b| read_as_it_was(start, b));
        if there {
            self.window = start..start.wrapping_add(size);
        }
        Ok(there)
    }
}
