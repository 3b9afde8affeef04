// SPDX-License-Identifier: GPL-2.0
//! A map of limited weight, in which a user with much displaces nothing of users with less.

use crate::account::Account;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A map whose values together weigh at most `MOST`.
#[derive(Debug)]
pub struct Cache<K, V, const MOST: usize> {
    all: HashMap<K, Kept<V>>,
    by: HashMap<Account, Of<K>>,
    weight: usize,
    /// The number of values put so far.
    count: u64,
}

#[derive(Debug)]
struct Kept<V> {
    value: V,
    weight: usize,
    of: Account,
    /// The value of `count` when it was put.
    at: u64,
}

/// The part of one user.
#[derive(Debug)]
struct Of<K> {
    weight: usize,
    /// The keys, the oldest first.
    keys: BTreeMap<u64, K>,
}

impl<K, V, const MOST: usize> Default for Cache<K, V, MOST> {
    fn default() -> Self {
        Self { all: HashMap::new(), by: HashMap::new(), weight: 0, count: 0 }
    }
}

impl<K: Clone + Eq + Hash, V, const MOST: usize> Cache<K, V, MOST> {
    /// Returns a value.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.all.get(key).map(|kept| &kept.value)
    }

    /// Returns a value, to change it.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.all.get_mut(key).map(|kept| &mut kept.value)
    }

    /// Tells whether there is a value.
    pub fn has(&self, key: &K) -> bool {
        self.all.contains_key(key)
    }

    /// Removes the values of one user.
    pub fn forget(&mut self, of: Account) {
        if let Some(part) = self.by.remove(&of) {
            self.weight -= part.weight;
            part.keys.values().for_each(|key| drop(self.all.remove(key)));
        }
    }

    /// Keeps a value for a user. While all are too heavy, the oldest value of the user with the
    /// most goes, but never this one.
    pub fn put(&mut self, key: K, value: V, weight: usize, of: Account) {
        self.remove(&key);
        self.count += 1;
        let at = self.count;
        let part = self.by.entry(of).or_insert(Of { weight: 0, keys: BTreeMap::new() });
        part.weight += weight;
        part.keys.insert(at, key.clone());
        self.weight += weight;
        self.all.insert(key, Kept { value, weight, of, at });
        while self.weight > MOST {
            let has_others =
                |(whose, part): &(&Account, &Of<K>)| **whose != of || part.keys.len() > 1;
            let parts = self.by.iter().filter(has_others);
            let Some((_, most)) = parts.max_by_key(|(_, part)| part.weight) else { break };
            let Some(oldest) = most.keys.values().next().cloned() else { break };
            self.remove(&oldest);
        }
    }

    /// Removes a value and returns it.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let Kept { value, weight, of, at } = self.all.remove(key)?;
        self.weight -= weight;
        if let Some(part) = self.by.get_mut(&of) {
            part.weight -= weight;
            part.keys.remove(&at);
            if part.keys.is_empty() {
                self.by.remove(&of);
            }
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_most_displaces_his_own() {
        let mut cache = Cache::<u32, char, 10>::default();
        let [a, b] = [1, 2].map(Account::user);
        for n in 0..3 {
            cache.put(n, 'b', 1, b);
        }
        for n in 100..10_000 {
            cache.put(n, 'a', 1, a);
        }
        assert_eq!((cache.all.len(), cache.weight), (10, 10));
        assert!((0..3).all(|n| cache.get(&n) == Some(&'b')));
        assert!((9_993..10_000).all(|n| cache.get(&n) == Some(&'a')));
        // A user who comes later gets room until he has as much.
        for n in 10..20 {
            cache.put(n, 'c', 1, Account::ROOT);
        }
        assert!((0..3).all(|n| cache.get(&n) == Some(&'b')));
        let left = |of: char| cache.all.values().filter(|kept| kept.value == of).count();
        assert!(left('a') == 3 && left('c') == 4 || left('a') == 4 && left('c') == 3);
    }

    #[test]
    fn weights() {
        let mut cache = Cache::<u32, (), 10>::default();
        let [a, b] = [1, 2].map(Account::user);
        cache.put(1, (), 4, a);
        cache.put(2, (), 4, b);
        // A value that is put again weighs once, and is the newest.
        cache.put(1, (), 5, a);
        cache.put(3, (), 1, a);
        assert_eq!(cache.weight, 10);
        cache.put(4, (), 1, a);
        assert!(cache.get(&1).is_none() && cache.get(&3).is_some());
        // The new value stays, however heavy it is.
        cache.put(5, (), 99, b);
        assert_eq!((cache.all.len(), cache.weight), (1, 99));
        assert!(cache.remove(&5).is_some() && cache.remove(&5).is_none());
        assert!(cache.by.is_empty() && cache.weight == 0);
    }
}
