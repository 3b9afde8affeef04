// SPDX-License-Identifier: GPL-2.0
//! The names of functions in symbol tables.

use object::elf::{self, SymbolType};

/// The suffix that compilers give to the unlikely part of a function, which lies elsewhere.
pub(crate) const COLD: &str = ".cold";

/// The most bytes of a name. A symbol with a longer name is left out.
pub(crate) const MOST_NAME: usize = 4096;

/// A name of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The address of the function.
    pub address: u64,
    /// Its bytes. An assembly function without a size extends to the next one, or to the end of its
    /// section.
    pub size: u64,
    /// The name without a version.
    pub name: Box<str>,
    /// The quality of the name among several for one address: 0 is best.
    pub(crate) rank: u8,
    /// The function is a resolver: it returns the function that is called by its name.
    pub is_resolver: bool,
}

/// Returns a symbol as a function, if it has a name that is not too long.
pub(crate) fn function(
    full: &str,
    address: u64,
    size: u64,
    is_local: bool,
    kind: SymbolType,
) -> Option<Function> {
    // `memcpy@@GLIBC_2.14`
    let name = full.split_once('@').map_or(full, |(name, _)| name);
    (1..=MOST_NAME).contains(&name.len()).then(|| Function {
        address,
        size,
        name: name.into(),
        rank: rank(name, is_local),
        is_resolver: kind == elf::STT_GNU_IFUNC,
    })
}

impl Function {
    /// Tells whether it is the unlikely part of another function.
    pub(crate) fn is_cold(&self) -> bool {
        self.name.ends_with(COLD)
    }

    /// Returns the bytes of memory that it takes in a list, which grows by doubling; a list by name
    /// may have the name again.
    pub(crate) fn weight(&self) -> usize {
        2 * (size_of::<Self>() + self.name.len())
    }
}

/// Prefers names that others use over the implementation's, and global names over local ones.
fn rank(name: &str, is_local: bool) -> u8 {
    let underscores = name.bytes().take_while(|b| *b == b'_').take(2).count() as u8;
    let is_part = u8::from(name.contains('.'));
    8 * u8::from(is_local) + 4 * is_part + underscores
}
