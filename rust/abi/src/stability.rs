// SPDX-License-Identifier: GPL-2.0
//! Stability attributes: name stability / data stability / dependency class.

macro_rules! words {
    ($(#[$d:meta])* $name:ident { $($num:literal $variant:ident $text:literal),* $(,)? }) => {
        $(#[$d])*
        #[allow(missing_docs, reason = "the manual's words")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name { $($variant = $num),* }
        impl $name {
            /// Returns the word that `dtrace -lv` prints.
            pub const fn text(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
            /// Returns the word for its number in DOF.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($num => Some($name::$variant),)* _ => None }
            }
            /// Returns the word for its text, in upper or lower case.
            pub fn from_text(text: &str) -> Option<Self> {
                [$($name::$variant),*].into_iter().find(|w| w.text().eq_ignore_ascii_case(text))
            }
        }
    };
}

words!(
    /// How likely an interface is to change, least stable first.
    Stability {
        0 Internal "Internal", 1 Private "Private", 2 Obsolete "Obsolete", 3 External "External",
        4 Unstable "Unstable", 5 Evolving "Evolving", 6 Stable "Stable", 7 Standard "Standard",
    }
);
words!(
    /// The machines and systems on which an interface depends.
    Class {
        0 Unknown "Unknown", 1 Cpu "CPU", 2 Platform "Platform", 3 Group "Group", 4 Isa "ISA",
        5 Common "Common",
    }
);

/// A triple of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// The stability of the names.
    pub name: Stability,
    /// The stability of the data.
    pub data: Stability,
    /// The dependency of both.
    pub class: Class,
}

impl Attributes {
    /// The promise of D itself.
    pub const STABLE: Self = Self::new(Stability::Stable, Stability::Stable, Class::Common);
    /// The attributes of the kernel's own types and symbols.
    pub const KERNEL: Self = Self::new(Stability::Private, Stability::Private, Class::Unknown);

    /// Creates a triple.
    pub const fn new(name: Stability, data: Stability, class: Class) -> Self {
        Self { name, data, class }
    }

    /// Encodes it for DOF.
    pub const fn packed(self) -> u32 {
        (self.name as u32) << 24 | (self.data as u32) << 16 | (self.class as u32) << 8
    }

    /// Decodes it from DOF.
    pub fn unpacked(word: u32) -> Option<Self> {
        let [_, class, data, name] = word.to_le_bytes();
        let name = Stability::from_number(name)?;
        Some(Self { name, data: Stability::from_number(data)?, class: Class::from_number(class)? })
    }

    /// Parses a text such as `Evolving/Evolving/Common`.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split('/');
        let name = Stability::from_text(words.next()?)?;
        let data = Stability::from_text(words.next()?)?;
        let class = Class::from_text(words.next()?)?;
        words.next().is_none().then_some(Self { name, data, class })
    }

    /// Returns the lesser of each attribute.
    pub fn min(self, other: Self) -> Self {
        Self {
            name: self.name.min(other.name),
            data: self.data.min(other.data),
            class: self.class.min(other.class),
        }
    }
}

/// The attributes that a provider promises for itself, for the modules, functions and names of its
/// probes, and for their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderAttributes(pub [Attributes; 5]);

impl ProviderAttributes {
    /// The words of `#pragma D attributes .. provider NAME`, in the same order.
    pub const PARTS: [&'static str; 5] = ["provider", "module", "function", "name", "args"];

    /// Returns the attributes of a provider, as in its manual; an unknown provider promises little.
    pub fn of(provider: &str) -> Self {
        use Stability::{Evolving, Private, Unstable};
        let kernel = Attributes::KERNEL;
        let all = |s: Stability, class: Class| Attributes::new(s, s, class);
        let (common, isa) = (all(Evolving, Class::Common), all(Evolving, Class::Isa));
        let of_function = all(Unstable, Class::Isa);
        let stable = Attributes::STABLE;
        let is_pid = provider
            .strip_prefix("pid")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        Self(match provider {
            "dtrace" => [stable, kernel, kernel, stable, stable],
            "profile" | "cpc" => [common, all(Unstable, Class::Common), kernel, common, common],
            "syscall" => [common, kernel, of_function, common, of_function],
            "fbt" => [common, kernel, kernel, common, all(Private, Class::Isa)],
            "proc" | "sched" | "io" | "sysinfo" | "vminfo" | "lockstat" | "mib" | "ip" | "tcp"
            | "udp" => [isa, kernel, kernel, isa, isa],
            _ if is_pid => [isa, kernel, kernel, kernel, kernel],
            _ => [kernel, kernel, kernel, kernel, all(Private, Class::Isa)],
        })
    }

    /// Returns the attributes of probes: the least of the provider's and of those of the named
    /// parts.
    pub fn of_probes(&self, is_named: [bool; 4]) -> Attributes {
        let [provider, ..] = self.0;
        let named = self.0.iter().zip(is_named).filter(|(_, is_named)| *is_named);
        named.fold(provider, |least, (of_part, _)| least.min(*of_part))
    }

    /// Returns the attributes of the arguments.
    pub fn of_args(&self) -> Attributes {
        let [.., args] = self.0;
        args
    }
}

impl core::fmt::Display for Attributes {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/{}/{}", self.name.text(), self.data.text(), self.class.text())
    }
}
