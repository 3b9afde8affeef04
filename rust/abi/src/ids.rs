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
            /// Returns the position in a dense table of all ids, `None` for [`Self::NONE`].
            pub const fn index(self) -> Option<usize> {
                match self.0 {
                    0 => None,
                    n => Some(n as usize - 1),
                }
            }
            /// Returns the id at `index` of a dense table.
            pub const fn from_index(index: usize) -> Self {
                Self(index as u32 + 1)
            }
        }
    };
}

id!(
    /// A probe. The id is unique while the probe exists or a consumer may still ask for it. When
    /// all other ids have been used once, it is used again.
    ProbeId
);
id!(
    /// An enabled probe id: one ECB of one consumer. It heads every record; 0 is padding. The EPID
    /// of a retired probe is used again when the consumer has said that it has no record of it any
    /// more: [`crate::ioctl::DONE`].
    Epid
);
id!(
    /// One aggregating action of one ECB. The consumer merges those of one variable.
    AggId
);
id!(
    /// A format string that the kernel keeps for the consumer.
    FormatId
);

/// Upper bound of the EPIDs that one consumer uses at a time.
pub const MAX_EPIDS: u32 = 1 << 20;
