// SPDX-License-Identifier: GPL-2.0
//! All processes that are known, by their memory.

use crate::process::Process;
use kapi::mem;
use kernel::prelude::*;

/// They ascend by the keys of their memory.
pub(crate) struct Processes(KVec<KBox<Process>>);

impl Processes {
    pub(crate) fn new() -> Self {
        Self(KVec::new())
    }

    /// Where the process with this key is, or would be.
    fn place(&self, key: u64) -> usize {
        self.0.partition_point(|p| p.space.key() < key)
    }

    pub(crate) fn get(&self, key: u64) -> Option<&Process> {
        self.0.get(self.place(key)).map(|p| &**p).filter(|p| p.space.key() == key)
    }

    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut Process> {
        let at = self.place(key);
        self.0.get_mut(at).map(|p| &mut **p).filter(|p| p.space.key() == key)
    }

    /// One more; its key is new.
    pub(crate) fn add(&mut self, process: Process) -> Result {
        let process = mem::boxed(process)?;
        mem::reserve(&mut self.0, 1)?;
        self.put(process);
        Ok(())
    }

    /// Puts one back where there is room for it.
    pub(crate) fn put(&mut self, process: KBox<Process>) {
        let at = self.place(process.space.key());
        let _ = self.0.insert_within_capacity(at, process);
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<KBox<Process>> {
        self.get(key)?;
        self.0.remove(self.place(key)).ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Process> {
        self.0.iter().map(|p| &**p)
    }

    /// Those with this key and later ones.
    pub(crate) fn iter_from(&self, key: u64) -> impl Iterator<Item = &Process> {
        self.0.get(self.place(key)..).unwrap_or_default().iter().map(|p| &**p)
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Process> {
        self.0.iter_mut().map(|p| &mut **p)
    }
}
