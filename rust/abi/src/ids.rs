// SPDX-License-Identifier: GPL-2.0
//! Identifiers as types, so that an EPID cannot be passed where a probe id is wanted.

use zerocopy_derive::{FromBytes, Immutable, IntoBytes, KnownLayout};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default,
            FromBytes, IntoBytes, Immutable, KnownLayout,
        )]
        pub struct $name(pub u32);
        impl $name {
            /// No such thing: ids are dense and start at 1.
            pub const NONE: Self = Self(0);
            /// Position in a dense table of all ids, `None` for [`Self::NONE`].
            pub const fn index(self) -> Option<usize> {
                match self.0 {
                    0 => None,
                    n => Some(n as usize - 1),
                }
            }
            /// The id that stands at `index` of a dense table.
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32 + 1)
            }
        }
    };
}

id!(
    /// A probe, unique while it is there or a consumer may still ask for it; then, when all other ids have been given
    /// once, used again.
    ProbeId
);
id!(
    /// An enabled probe id: one ECB of one consumer. Heads every record; 0 is padding. That of a probe which has gone
    /// is used again when the consumer has said that it has no record of it any more: [`crate::ioctl::DONE`].
    Epid
);
id!(
    /// One aggregating action of one ECB. The consumer merges several of them by variable.
    AggId
);
id!(
    /// A format string kept by the kernel for the consumer.
    FormatId
);

/// Upper bound of EPIDs of one consumer that are in use at a time.
pub const MAX_EPIDS: u32 = 1 << 20;
