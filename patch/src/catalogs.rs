// SPDX-License-Identifier: GPL-2.0
//! All catalogs, by number.
//!
//! Probes refer to a catalog by its number. So a number is reserved before the first probe of the
//! catalog is offered, and is released only after the last one is retired. While a reserved number
//! has no catalog, its probes are refused as gone.

use crate::catalog::Catalog;
use kapi::mem;
use kernel::prelude::*;

/// The maximum number of catalogs at a time.
pub const MAX_CATALOGS: usize = 1 << 12;

enum Place {
    Free,
    /// Its catalog is not there yet, or is gone while its probes still exist.
    Taken,
    Catalog(KBox<Catalog>),
}

/// All catalogs.
#[derive(Default)]
pub(crate) struct Catalogs(KVVec<Place>);

impl Catalogs {
    /// Returns the number of the catalog with this id.
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

    /// Reserves a number for a new catalog.
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

    /// Stores a catalog under its number.
    pub(crate) fn fill(&mut self, number: usize, catalog: KBox<Catalog>) {
        if let Some(place) = self.0.get_mut(number) {
            *place = Place::Catalog(catalog);
        }
    }

    /// Removes a catalog; its number stays reserved.
    pub(crate) fn take(&mut self, number: usize) -> Option<KBox<Catalog>> {
        match core::mem::replace(self.0.get_mut(number)?, Place::Taken) {
            Place::Catalog(catalog) => Some(catalog),
            Place::Free | Place::Taken => None,
        }
    }

    /// Releases a number.
    pub(crate) fn release(&mut self, number: usize) {
        if let Some(place) = self.0.get_mut(number) {
            *place = Place::Free;
        }
    }
}
