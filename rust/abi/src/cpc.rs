// SPDX-License-Identifier: GPL-2.0
//! Names of the provider `cpc`'s probes: `cpu_cycles-all-10000000`, `PAPI_tot_ins-user-1000000`.
//! There are endlessly many, so the provider makes a probe when somebody asks for it. Here the
//! provider and the consumer agree on the meaning of a name.

/// The kind of an event. It determines the smallest number of events from one firing to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Events of the processor.
    Hardware,
    /// Nanoseconds of a clock.
    Clock,
    /// Events of the kernel that happen in processes and in the kernel.
    Software,
    /// Events that happen only in the kernel.
    KernelOnly,
}

impl Class {
    /// Returns the smallest count. A processor has some 10^9 cycles a second. If a probe fired
    /// after fewer than 5,000 of them, its CPU would do nothing else. A clock fires no more often
    /// than `profile`'s probes may.
    pub const fn least(self) -> u64 {
        match self {
            Self::Hardware => 5_000,
            Self::Clock => crate::rate::MIN_INTERVAL_NS,
            Self::Software | Self::KernelOnly => 1,
        }
    }

    /// Returns the count of the probe that is listed before anybody asks for one.
    pub const fn usual(self) -> &'static str {
        match self {
            Self::Hardware => "10000000",
            Self::Clock => "1000000000",
            Self::Software | Self::KernelOnly => "100",
        }
    }
}

/// `PERF_TYPE_HARDWARE`, `_SOFTWARE`, `_HW_CACHE`, `_RAW`.
const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;

/// An event that has a name.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// Its names; the first one is listed.
    pub names: &'static [&'static str],
    /// Its kind.
    pub class: Class,
    kind: u32,
    config: u64,
}

impl Event {
    /// Tells whether a probe counts this event.
    pub fn is(&self, counter: &Counter) -> bool {
        (self.kind, self.config) == (counter.kind, counter.config)
    }
}

const fn hardware(config: u64, names: &'static [&'static str]) -> Event {
    Event { names, class: Class::Hardware, kind: HARDWARE, config }
}

const fn software(config: u64, class: Class, names: &'static [&'static str]) -> Event {
    Event { names, class, kind: SOFTWARE, config }
}

/// Returns the event of a cache, by the access (0: read, 1: write, 2: prefetch) and the result (0:
/// any, 1: miss).
const fn cache(cache: u64, op: u64, result: u64, names: &'static [&'static str]) -> Event {
    Event { names, class: Class::Hardware, kind: CACHE, config: cache | op << 8 | result << 16 }
}

/// All events that have names: perf's names, with `_` for `-`, and PAPI's names for the same
/// events.
pub const EVENTS: &[Event] = &[
    hardware(0, &["cpu_cycles", "cycles", "PAPI_tot_cyc"]),
    hardware(1, &["instructions", "PAPI_tot_ins"]),
    hardware(2, &["cache_references", "PAPI_l3_tca"]),
    hardware(3, &["cache_misses", "PAPI_l3_tcm"]),
    hardware(4, &["branch_instructions", "branches", "PAPI_br_ins"]),
    hardware(5, &["branch_misses", "PAPI_br_msp"]),
    hardware(6, &["bus_cycles"]),
    hardware(7, &["stalled_cycles_frontend", "idle_cycles_frontend"]),
    hardware(8, &["stalled_cycles_backend", "idle_cycles_backend", "PAPI_res_stl"]),
    hardware(9, &["ref_cycles", "ref_cpu_cycles", "PAPI_ref_cyc"]),
    software(0, Class::Clock, &["cpu_clock"]),
    software(1, Class::Clock, &["task_clock"]),
    software(2, Class::Software, &["page_faults", "faults"]),
    software(3, Class::KernelOnly, &["context_switches", "cs"]),
    software(4, Class::KernelOnly, &["cpu_migrations", "migrations"]),
    software(5, Class::Software, &["minor_faults", "page_faults_min"]),
    software(6, Class::Software, &["major_faults", "page_faults_maj"]),
    cache(0, 0, 0, &["L1_dcache_loads", "PAPI_l1_dcr"]),
    cache(0, 0, 1, &["L1_dcache_load_misses", "PAPI_l1_ldm"]),
    cache(0, 1, 0, &["L1_dcache_stores", "PAPI_l1_dcw"]),
    cache(0, 1, 1, &["L1_dcache_store_misses", "PAPI_l1_stm"]),
    cache(0, 2, 0, &["L1_dcache_prefetches"]),
    cache(1, 0, 0, &["L1_icache_loads", "PAPI_l1_icr"]),
    cache(1, 0, 1, &["L1_icache_load_misses", "PAPI_l1_icm"]),
    cache(2, 0, 0, &["LLC_loads", "PAPI_l3_dcr"]),
    cache(2, 0, 1, &["LLC_load_misses", "PAPI_l3_ldm"]),
    cache(2, 1, 0, &["LLC_stores", "PAPI_l3_dcw"]),
    cache(2, 1, 1, &["LLC_store_misses", "PAPI_l3_stm"]),
    cache(3, 0, 0, &["dTLB_loads"]),
    cache(3, 0, 1, &["dTLB_load_misses", "PAPI_tlb_dm"]),
    cache(3, 1, 0, &["dTLB_stores"]),
    cache(3, 1, 1, &["dTLB_store_misses"]),
    cache(4, 0, 0, &["iTLB_loads"]),
    cache(4, 0, 1, &["iTLB_load_misses", "PAPI_tlb_im"]),
    cache(5, 0, 0, &["branch_loads"]),
    cache(5, 0, 1, &["branch_load_misses"]),
    cache(6, 0, 0, &["node_loads"]),
    cache(6, 0, 1, &["node_load_misses"]),
    cache(6, 1, 0, &["node_stores"]),
    cache(6, 1, 1, &["node_store_misses"]),
];

/// The mode of the processor in which an event counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In a process.
    User,
    /// In the kernel.
    Kernel,
    /// In both.
    All,
}

/// A probe of the provider `cpc`, as the request to perf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// `type` of a `perf_event_attr`.
    pub kind: u32,
    /// `config` of it.
    pub config: u64,
    /// The kind of the event.
    pub class: Class,
    /// The mode in which it counts.
    pub mode: Mode,
    /// The number of events from one firing to the next.
    pub count: u64,
}

/// The reason why a name is not one of its probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotCounter {
    /// It does not have three parts.
    Other,
    /// No event has this name.
    Event,
    /// The second part is not a mode.
    Mode,
    /// The event never happens in a process.
    KernelOnly,
    /// It has a mask.
    Mask,
    /// The count is missing, is 0, or has more than 63 bits.
    Number,
    /// Fewer events than are allowed.
    TooOften(Class),
}

impl NotCounter {
    /// Returns the explanation for the user, as a sentence without its period.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Other => "its probes are called `EVENT-MODE-COUNT`, as `cpu_cycles-all-10000000`",
            Self::Event => {
                "no event has this name; `dtrace -l -P cpc` lists the events of this machine, and `rHEX` is the processor's own event of that number"
            }
            Self::Mode => "the mode is one of user, kernel, all",
            Self::KernelOnly => "this event happens only in the kernel: the mode must be kernel or all",
            Self::Mask => "events have no mask here; use `rHEX`, which contains it, as perf's raw events do",
            Self::Number => "a count that is not 0 and has at most 63 bits follows the mode",
            Self::TooOften(Class::Clock) => "the smallest count of a clock is 200000, of nanoseconds",
            Self::TooOften(_) => "the smallest count of an event of the processor is 5000",
        }
    }
}

/// Tells whether two names mean the same event: perf writes `-`, PAPI uses capitals.
fn is_name(given: &[u8], name: &str) -> bool {
    let plain = |b: u8| if b == b'-' { b'_' } else { b.to_ascii_lowercase() };
    given.len() == name.len() && given.iter().zip(name.bytes()).all(|(a, b)| plain(*a) == plain(b))
}

fn event(name: &[u8]) -> Option<(u32, u64, Class)> {
    if let Some(e) = EVENTS.iter().find(|e| e.names.iter().any(|n| is_name(name, n))) {
        return Some((e.kind, e.config, e.class));
    }
    let digits = name.strip_prefix(b"r").filter(|d| (1..=16).contains(&d.len()))?;
    let config = digits.iter().try_fold(0_u64, |n, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some(n << 4 | u64::from(digit))
    })?;
    Some((RAW, config, Class::Hardware))
}

fn mode(name: &[u8]) -> Option<Mode> {
    match name {
        b"user" => Some(Mode::User),
        b"kernel" => Some(Mode::Kernel),
        b"all" => Some(Mode::All),
        _ => None,
    }
}

/// Returns the text before the last hyphen, and the text after it.
fn last_part(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = name.iter().rposition(|b| *b == b'-')?;
    Some((name.get(..at)?, name.get(at.checked_add(1)?..)?))
}

/// Reads a probe's name.
pub fn parse(name: &[u8]) -> Result<Counter, NotCounter> {
    let (rest, count) = last_part(name).ok_or(NotCounter::Other)?;
    let (front, second) = last_part(rest).ok_or(NotCounter::Other)?;
    if second.starts_with(b"0x") {
        return Err(NotCounter::Mask);
    }
    // Check the event first: a name without a known event may be another provider's probe.
    let (kind, config, class) = event(front).ok_or(match mode(second) {
        Some(_) => NotCounter::Event,
        None => NotCounter::Other,
    })?;
    let mode = mode(second).ok_or(NotCounter::Mode)?;
    if mode == Mode::User && class == Class::KernelOnly {
        return Err(NotCounter::KernelOnly);
    }
    let number = count.iter().try_fold(0_u64, |n, digit| {
        let digit = char::from(*digit).to_digit(10)?;
        n.checked_mul(10)?.checked_add(digit.into())
    });
    // The kernel's counters have a sign.
    let count = number.filter(|n| !count.is_empty() && *n != 0 && i64::try_from(*n).is_ok());
    let count = count.ok_or(NotCounter::Number)?;
    match count < class.least() {
        true => Err(NotCounter::TooOften(class)),
        false => Ok(Counter { kind, config, class, mode, count }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        use NotCounter::{Event, KernelOnly, Mask, Number, Other, TooOften};
        let is = |kind, config, mode, count| {
            let mut counter = Counter { kind, config, class: Class::Hardware, mode, count };
            if let Some(e) = EVENTS.iter().find(|e| e.is(&counter)) {
                counter.class = e.class;
            }
            Ok(counter)
        };
        for (name, want) in [
            ("PAPI_tot_cyc-all-10000000", is(0, 0, Mode::All, 10_000_000)),
            ("PAPI_TOT_CYC-all-10000000", is(0, 0, Mode::All, 10_000_000)),
            ("cpu_cycles-user-5000", is(0, 0, Mode::User, 5_000)),
            ("cpu-cycles-user-5000", is(0, 0, Mode::User, 5_000)),
            ("cpu_cycles-user-4999", Err(TooOften(Class::Hardware))),
            ("cache_misses-kernel-100000", is(0, 3, Mode::Kernel, 100_000)),
            ("cpu_clock-all-200000", is(1, 0, Mode::All, 200_000)),
            ("cpu_clock-all-199999", Err(TooOften(Class::Clock))),
            ("page_faults-user-1", is(1, 2, Mode::User, 1)),
            ("page_faults-user-0", Err(Number)),
            ("context_switches-all-1", is(1, 3, Mode::All, 1)),
            ("context_switches-user-1", Err(KernelOnly)),
            ("L1-dcache-load-misses-all-10000", is(3, 0x10000, Mode::All, 10_000)),
            ("LLC_store_misses-all-10000", is(3, 0x10102, Mode::All, 10_000)),
            ("r01c2-user-10000", is(4, 0x1c2, Mode::User, 10_000)),
            ("rxyz-user-10000", Err(Event)),
            ("r-user-10000", Err(Event)),
            ("nosuch-all-10000", Err(Event)),
            ("-all-10000", Err(Event)),
            ("cpu_cycles-idle-10000", Err(NotCounter::Mode)),
            ("cpu_cycles-all-0x7-10000", Err(Mask)),
            ("cpu_cycles-all-", Err(Number)),
            ("cpu_cycles-all-1x", Err(Number)),
            ("cpu_cycles-all-9223372036854775807", is(0, 0, Mode::All, i64::MAX as u64)),
            ("cpu_cycles-all-9223372036854775808", Err(Number)),
            ("cpu_cycles-all-99999999999999999999", Err(Number)),
            ("cpu_cycles-all", Err(Other)),
            ("state-change", Err(Other)),
            ("profile-997", Err(Other)),
            ("a-b-c", Err(Other)),
            ("", Err(Other)),
        ] {
            assert_eq!(parse(name.as_bytes()), want, "{name}");
        }
    }

    #[test]
    fn what_is_listed_is_a_probe() {
        let mut seen = std::collections::HashSet::new();
        for e in EVENTS {
            let name = format!("{}-all-{}", e.names[0], e.class.usual());
            assert!(name.len() < crate::probe::NAME_LEN, "{name}");
            let counter = parse(name.as_bytes()).unwrap();
            assert!(e.is(&counter));
            assert!(e.names.iter().all(|n| seen.insert(n.to_lowercase())), "{name}");
        }
        for class in [Class::Hardware, Class::Clock] {
            assert!(NotCounter::TooOften(class).words().contains(&class.least().to_string()));
        }
    }
}
