// SPDX-License-Identifier: GPL-2.0
//! Finds names similar to a misspelt one among tens of thousands.
//!
//! Most names are dismissed by their length and their letters; only the rest is measured.

/// Of longer names only the heads are compared.
const LONGEST: usize = 96;

/// Returns the most typing errors that a name of this length may have.
pub fn limit(length: usize) -> usize {
    (length / 3).clamp(1, 4)
}

/// Returns a set with one bit for each kind of character.
fn letters(name: &[u8]) -> u64 {
    name.iter().fold(0, |set, b| set | 1 << (b & 63))
}

/// Counts insertions, deletions, replacements and swaps of neighbours from `a` to `b`; `None` if
/// there are more than `limit`.
pub fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    let (a, b) = (&a[..a.len().min(LONGEST)], &b[..b.len().min(LONGEST)]);
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut rows = [[0usize; LONGEST + 1]; 3];
    for (j, cell) in rows[1].iter_mut().enumerate() {
        *cell = j;
    }
    for (i, &ca) in a.iter().enumerate() {
        let [before, row, next] = &mut rows;
        next[0] = i + 1;
        let mut least = next[0];
        for (j, &cb) in b.iter().enumerate() {
            let mut d = (row[j] + usize::from(ca != cb)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == cb && b[j - 1] == ca {
                d = d.min(before[j - 1] + 1);
            }
            next[j + 1] = d;
            least = least.min(d);
        }
        if least > limit {
            return None;
        }
        rows.rotate_left(1);
    }
    Some(rows[1][b.len()]).filter(|&d| d <= limit)
}

/// Counts the characters that two names share at their beginnings and ends.
fn shared(a: &[u8], b: &[u8]) -> usize {
    let head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    head + tail
}

/// A name and its distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near<'a> {
    /// The name.
    pub name: &'a str,
    /// Typing errors; [`CONTINUED`] for a name that begins with the wanted one.
    pub distance: usize,
}

/// The distance of a name that begins with the wanted one.
const CONTINUED: usize = 2;

/// Returns at most `most` names that differ by typing errors or continue `wanted`, nearest first,
/// each once, and none much farther than the nearest. If there are none, returns names that contain
/// `wanted` or begin with something similar.
pub fn nearest<'a, I: Iterator<Item = &'a str>>(
    wanted: &str,
    names: impl Fn() -> I,
    most: usize,
) -> Vec<Near<'a>> {
    let word = wanted.as_bytes();
    let (limit, set) = (limit(word.len()), letters(word));
    let mut found = Vec::new();
    for name in names() {
        let text = name.as_bytes();
        if word.len() >= 4 && text.len() > word.len() && text.starts_with(word) {
            found.push((CONTINUED, text.len(), name));
        }
        if text.len().abs_diff(word.len()) > limit || text == word {
            continue;
        }
        let other = letters(text);
        let missing = (set & !other).count_ones().max((other & !set).count_ones());
        if missing as usize > limit {
            continue;
        }
        if let Some(d) = distance(word, text, limit).filter(|&d| d < text.len()) {
            found.push((d, usize::MAX - shared(word, text), name));
        }
    }
    if found.is_empty() && word.len() >= 5 {
        found = around(wanted, names());
    }
    found.sort_unstable();
    let farthest = found.first().map_or(0, |best| best.0 + 1);
    let mut near: Vec<Near<'a>> = Vec::new();
    for (distance, _, name) in found {
        if near.len() == most || distance > farthest {
            break;
        }
        if near.iter().all(|n| n.name != name) {
            near.push(Near { name, distance });
        }
    }
    near
}

/// Returns names that contain a word or begin with something similar to it.
fn around<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<(usize, usize, &'a str)> {
    let bytes = word.as_bytes();
    let limit = limit(bytes.len());
    let mut found = Vec::new();
    for name in names {
        let text = name.as_bytes();
        if name.contains(word) {
            found.push((limit + 1, text.len(), name));
        } else if text.len() > bytes.len() && text.first() == bytes.first() {
            // A missing or extra letter shifts the rest.
            let heads = [bytes.len() - 1, bytes.len(), bytes.len() + 1];
            let near = heads.iter().filter_map(|&n| distance(bytes, text.get(..n)?, 2.min(limit)));
            if let Some(d) = near.min() {
                found.push((limit + 1 + d, text.len(), name));
            }
        }
    }
    found
}

/// Returns the beginnings of names that are most like the beginning of a glob. The nearest comes
/// first; of equally near ones, the most frequent.
pub fn prefixes<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let word = wanted.as_bytes();
    let limit = limit(word.len()).min(2);
    let mut counts = std::collections::HashMap::<&str, (usize, usize)>::new();
    for name in names {
        for length in word.len().saturating_sub(1)..=word.len() + 1 {
            let Some(head) = name.get(..length).filter(|h| *h != wanted) else {
                continue;
            };
            // The first letter is seldom wrong.
            if head.as_bytes().first() != word.first() {
                continue;
            }
            if let Some((_, n)) = counts.get_mut(head) {
                *n += 1;
            } else if let Some(d) = distance(word, head.as_bytes(), limit) {
                counts.insert(head, (d, 1));
            }
        }
    }
    let mut found: Vec<_> = counts.into_iter().map(|(h, (d, n))| (d, usize::MAX - n, h)).collect();
    found.sort_unstable();
    let nearest = found.first().map_or(0, |best| best.0);
    let mut heads: Vec<&str> = Vec::new();
    for (_, _, head) in found.into_iter().filter(|f| f.0 == nearest) {
        // If one head begins another, the more frequent one is enough.
        let is_new = heads.iter().all(|h| !h.starts_with(head) && !head.starts_with(h));
        if heads.len() < most && is_new {
            heads.push(head);
        }
    }
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &[
        "vfs_read",
        "vfs_readv",
        "vfs_write",
        "vfs_open",
        "ksys_read",
        "tcp_sendmsg",
        "tcp_recvmsg",
        "ip_rcv",
        "do_sys_openat2",
        "__x64_sys_read",
        "vfs_read",
    ];

    fn near(wanted: &str) -> Vec<&'static str> {
        nearest(wanted, || NAMES.iter().copied(), 3).into_iter().map(|n| n.name).collect()
    }

    #[test]
    fn distances() {
        for (a, b, want) in [
            ("abcd", "acbd", Some(1)),
            ("vfs_reed", "vfs_read", Some(1)),
            ("vfs_rea", "vfs_read", Some(1)),
            ("vfsread", "vfs_read", Some(1)),
            ("", "abc", Some(3)),
            ("same", "same", Some(0)),
            ("abcdefgh", "hgfedcba", None),
            ("kitten", "sitting", Some(3)),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes(), 4), want, "{a} {b}");
        }
        let long = "x".repeat(300);
        assert_eq!(distance(long.as_bytes(), long.as_bytes(), 4), Some(0));
    }

    #[test]
    fn nearest_names() {
        assert_eq!(near("vfs_reed")[0], "vfs_read");
        assert_eq!(near("vfs_raed")[0], "vfs_read");
        assert_eq!(near("tcp_sendmgs"), ["tcp_sendmsg"]);
        assert_eq!(near("do_sys_open"), ["do_sys_openat2"], "the beginning of a name");
        assert_eq!(near("openat2"), ["do_sys_openat2"], "a part of a name");
        assert_eq!(near("do_syz_open"), ["do_sys_openat2"], "near to the beginning of a name");
        assert_eq!(near("zzzzzzzz"), [""; 0]);
        assert_eq!(near("v"), [""; 0]);
        assert_eq!(
            near("vfs_"),
            ["vfs_open", "vfs_read", "vfs_readv"],
            "shortest first, each once"
        );
    }

    #[test]
    fn near_prefixes() {
        assert_eq!(prefixes("vfs_reed", NAMES.iter().copied(), 3)[0], "vfs_read");
        assert_eq!(prefixes("tpc_", NAMES.iter().copied(), 1), ["tcp_"]);
        assert!(prefixes("qqqq", NAMES.iter().copied(), 1).is_empty());
    }
}
