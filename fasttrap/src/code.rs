// SPDX-License-Identifier: GPL-2.0
//! The code of a process: bringing it into memory, and reading it.

use abi::user::{MappedFile, UserProbeView, UserReason};
use kapi::mem;
use kapi::user::{Ground, Space, Text};
use kernel::prelude::*;

pub(crate) const PAGE: u64 = 4096;

/// Reads the code of a process a page at a time, because many places share a page.
pub(crate) struct Reader {
    space: u64,
    from: u64,
    bytes: KVVec<u8>,
    len: usize,
    /// The bytes behind the read ones are not in memory.
    is_away: bool,
    /// Whether the text of the page can be changed, and which text it is.
    ground: Result<Text, Ground>,
}

/// Code at an address.
pub(crate) struct Code<'a> {
    /// The number of the text it is in.
    pub(crate) text: u64,
    /// The file of the text.
    pub(crate) file: MappedFile,
    /// The bytes: as many as an instruction can have, or as could be read.
    pub(crate) bytes: &'a [u8],
    /// More bytes exist, but they are not in memory.
    pub(crate) is_away: bool,
}

impl Reader {
    pub(crate) fn new() -> Result<Self> {
        static ZEROES: [u8; PAGE as usize + x86::MAX_LEN] = [0; PAGE as usize + x86::MAX_LEN];
        // Some callers hold locks, so nobody is charged.
        let bytes = mem::exact_copy(&ZEROES)?;
        Ok(Self { space: 0, from: 0, bytes, len: 0, is_away: false, ground: Err(Ground::Unmapped) })
    }

    /// Forgets the page, which others may have changed.
    pub(crate) fn forget(&mut self) {
        self.len = 0;
    }

    /// Returns the code at an address, if a breakpoint can be there.
    pub(crate) fn at(&mut self, space: &Space, addr: u64) -> Result<Code<'_>, UserReason> {
        let from = addr & !(PAGE - 1);
        if self.space != space.key() || self.from != from || self.len == 0 {
            let (len, why) = space.read(from, &mut self.bytes);
            (self.len, self.is_away) = (len, why == Some(Ground::Away));
            (self.space, self.from) = (space.key(), from);
            self.ground = space.ground(from);
        }
        let Text { number, inode, device } = self.ground.map_err(reason)?;
        let at = addr.wrapping_sub(from) as usize;
        let whole = at.wrapping_add(x86::MAX_LEN);
        let end = whole.min(self.len);
        let bytes = self.bytes.get(at..end).unwrap_or_default();
        let file = MappedFile { inode, device, pad: 0 };
        Ok(Code { text: number, file, bytes, is_away: self.is_away && end < whole })
    }
}

/// Brings pages of a process into memory before we take locks, under which we cannot wait for them.
/// It skips repeated requests for the same page.
pub(crate) struct Pages<'a> {
    space: &'a Space,
    last: Option<u64>,
}

impl<'a> Pages<'a> {
    pub(crate) fn of(space: &'a Space) -> Self {
        Self { space, last: None }
    }

    /// Brings in the pages of an instruction. `EINTR`: the thread was killed.
    ///
    /// # Context
    /// *process*, may sleep; no lock is held.
    pub(crate) fn bring(&mut self, addr: u64) -> Result {
        self.one(addr)?;
        self.one(addr.wrapping_add(x86::MAX_LEN as u64 - 1))
    }

    /// Brings in the pages of all places and semaphores of packed probes.
    ///
    /// # Context
    /// *process*, may sleep; no lock is held.
    pub(crate) fn bring_packed(&mut self, mut packed: &[u8]) -> Result {
        while !packed.is_empty() {
            let probe = UserProbeView::unpack(&mut packed).ok_or(EINVAL)?;
            for place in probe.places() {
                self.bring(probe.head.address.wrapping_add(place.into()))?;
            }
            if probe.head.semaphore != 0 {
                self.one(probe.head.semaphore)?;
            }
        }
        Ok(())
    }

    fn one(&mut self, addr: u64) -> Result {
        let page = addr & !(PAGE - 1);
        if self.last == Some(page) {
            return Ok(());
        }
        self.last = Some(page);
        match self.space.touch(page) {
            Err(e) if e == EINTR => Err(e),
            // If the page is missing, the making of the probe reports it.
            _ => Ok(()),
        }
    }
}

/// Returns why memory of a process cannot have a breakpoint.
pub(crate) fn reason(ground: Ground) -> UserReason {
    match ground {
        Ground::Unmapped => UserReason::Unmapped,
        Ground::NotText => UserReason::NotText,
        Ground::Shared => UserReason::Shared,
        Ground::NoMemory => UserReason::NoMemory,
        Ground::Gone => UserReason::Gone,
        Ground::Differs => UserReason::Breakpoint,
        Ground::Away => UserReason::Away,
    }
}
