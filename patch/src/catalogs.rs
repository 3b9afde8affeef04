// SPDX-License-Identifier: GPL-2.0
//! All catalogs, by number.
//!
//! Probes know a catalog by its number. So a number is taken before the first probe of the catalog is offered, and
//! is nobody else's before the last one is retired: in between its probes are refused as gone.

use crate::catalog::Catalog;
use kapi::mem;
use kernel::prelude::*;

/// Most catalogs at a time.
pub const MAX_CATALOGS: usize = 1 << 12;

enum Place {
    Free,
    /// Its catalog is about to come, or has gone and its probes have not.
    Taken,
    Catalog(KBox<Catalog>),
}

/// All catalogs.
#[derive(Default)]
pub(crate) struct Catalogs(KVVec<Place>);

impl Catalogs {
    /// The number of the catalog of this text.
    pub(crate) fn number(&self, id: u64) -> Option<usize> {
        self.0.iter().position(|p| matches!(p, Place::Catalog(c) if c.id == id))
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Catalog> {
        match self.0.get(number)? {
            Place::Catalog(c) => Some(c),
            Place::Free | Place::Taken => None,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Catalog> {
        (0..self.0.len()).filter_map(|n| self.get(n))
    }

    /// Takes a number for a catalog that is about to come.
    pub(crate) fn reserve(&mut self) -> Result<usize> {
        let free = self.0.iter().position(|p| matches!(p, Place::Free));
        let number = free.unwrap_or(self.0.len());
        if number >= MAX_CATALOGS {
            return Err(ENOSPC);
        }
        match self.0.get_mut(number) {
            Some(place) => *place = Place::Taken,
            None => mem::push(&mut self.0, Place::Taken)?,
        }
        Ok(number)
    }

    /// Puts a catalog into its place.
    pub(crate) fn fill(&mut self, number: usize, catalog: KBox<Catalog>) {
        if let Some(place) = self.0.get_mut(number) {
            *place = Place::Catalog(catalog);
        }
    }

    /// Takes it out; its number stays taken.
    pub(crate) fn take(&mut self, number: usize) -> Option<KBox<Catalog>> {
        match core::mem::replace(self.0.get_mut(number)?, Place::Taken) {
            Place::Catalog(catalog) => Some(catalog),
            Place::Free | Place::Taken => None,
        }
    }

    /// Gives a number back.
    pub(crate) fn release(&mut self, number: usize) {
        if let Some(place) = self.0.get_mut(number) {
            *place = Place::Free;
        }
    }
}
