// SPDX-License-Identifier: GPL-2.0
//! All known processes, by their memory.

use kapi::mem;
use kernel::prelude::*;

/// A thing with a unique key.
pub(crate) trait Keyed {
    /// The key of its memory.
    fn key(&self) -> u64;
}

/// A list in ascending order of keys.
pub(crate) struct Processes<P>(KVec<KBox<P>>);

impl<P: Keyed> Processes<P> {
    pub(crate) fn new() -> Self {
        Self(KVec::new())
    }

    /// Returns the position of the process with this key, or the position where it belongs.
    fn place(&self, key: u64) -> usize {
        self.0.partition_point(|p| p.key() < key)
    }

    pub(crate) fn get(&self, key: u64) -> Option<&P> {
        self.0.get(self.place(key)).map(|p| &**p).filter(|p| p.key() == key)
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut P> {
        let at = self.place(key);
        self.0.get_mut(at).map(|p| &mut **p).filter(|p| p.key() == key)
    }

    /// Adds a process whose key is new.
    pub(crate) fn add(&mut self, process: P) -> Result {
        let process = mem::boxed(process)?;
        mem::reserve(&mut self.0, 1)?;
        self.put(process);
        Ok(())
    }

    /// Puts a process back; there is room for it.
    pub(crate) fn put(&mut self, process: KBox<P>) {
        let at = self.place(process.key());
        let _ = self.0.insert_within_capacity(at, process);
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<KBox<P>> {
        self.get(key)?;
        self.0.remove(self.place(key)).ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &P> {
        self.0.iter().map(|p| &**p)
    }

    /// Returns the processes from this key on.
    pub(crate) fn iter_from(&self, key: u64) -> impl Iterator<Item = &P> {
        self.0.get(self.place(key)..).unwrap_or_default().iter().map(|p| &**p)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut P> {
        self.0.iter_mut().map(|p| &mut **p)
    }
}
