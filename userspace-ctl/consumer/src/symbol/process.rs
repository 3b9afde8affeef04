// SPDX-License-Identifier: GPL-2.0
//! Addresses of processes, by what is mapped there: files, whose symbol tables are read once each.
//!
//! A process that has ended leaves nothing to ask. So its map is read when the first of its
//! addresses is seen, and again when one is not on it.

use super::Place;
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::HashMap;
use std::fs::File;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A map is not read more often.
const PERIOD: Duration = Duration::from_millis(200);
/// So many processes are remembered.
const MOST: usize = 4096;

/// Processes that were seen.
#[derive(Debug, Default)]
pub(super) struct Processes {
    known: HashMap<u64, Process>,
    images: HashMap<Identity, Rc<Image>>,
}

#[derive(Debug)]
struct Process {
    maps: Vec<Map>,
    read: Instant,
}

/// Which file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Identity {
    device: String,
    inode: String,
}

/// A piece of a file, or of something else, in memory.
#[derive(Debug, Clone)]
struct Map {
    start: u64,
    end: u64,
    offset: u64,
    identity: Identity,
    /// As the process calls it.
    path: String,
}

impl Map {
    /// The file's name; `[vdso]` and the like as they are.
    fn name(&self) -> &str {
        let path = self.path.strip_suffix(" (deleted)").unwrap_or(&self.path);
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }
}

/// Of a file: what is needed of its segments and symbols.
#[derive(Debug, Default)]
struct Image {
    /// Offset in the file, bytes, address.
    segments: Vec<(u64, u64, u64)>,
    /// Functions by address: start, size, name.
    functions: Vec<(u64, u64, Box<str>)>,
}

impl Image {
    fn of(file: File) -> Option<Self> {
        let cache = ReadCache::new(file);
        let elf = object::File::parse(&cache).ok()?;
        let segments = elf.segments().map(|s| {
            let (offset, size) = s.file_range();
            (offset, size, s.address())
        });
        let segments = segments.collect();
        let mut functions: Vec<(u64, u64, Box<str>)> = Vec::new();
        // What is stripped has its dynamic symbols left.
        for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                if let Ok(name) = symbol.name() {
                    functions.push((symbol.address(), symbol.size(), name.into()));
                }
            }
        }
        // Of several names of one place, that which others can use: the shortest mostly is it.
        functions.sort_by(|a, b| (a.0, a.2.len(), &a.2).cmp(&(b.0, b.2.len(), &b.2)));
        functions.dedup_by_key(|f| f.0);
        Some(Self { segments, functions })
    }

    /// The symbol at an offset in the file, and how far behind its beginning.
    fn symbol(&self, offset: u64) -> Option<(&str, u64)> {
        let segment = self.segments.iter().find(|s| offset >= s.0 && offset - s.0 < s.1)?;
        let address = segment.2 + (offset - segment.0);
        let after = self.functions.partition_point(|f| f.0 <= address);
        let (start, size, name) = self.functions.get(after.checked_sub(1)?)?;
        let behind = address - start;
        // Functions in assembly have no size.
        (behind < *size || *size == 0).then_some((name, behind))
    }
}

impl Processes {
    /// Reads the map of a process that is not known yet.
    pub(super) fn know(&mut self, pid: u64) {
        if !self.known.contains_key(&pid) {
            self.read(pid);
        }
    }

    fn read(&mut self, pid: u64) {
        let Ok(text) = std::fs::read_to_string(format!("/proc/{pid}/maps")) else { return };
        let maps: Vec<Map> = text.lines().filter_map(parse).collect();
        // It is ending: the last map that it had is the better one.
        if maps.is_empty() {
            return;
        }
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(pid, Process { maps, read: Instant::now() });
        // The files while they are there, too.
        let maps = self.known.get(&pid).map(|p| p.maps.clone()).unwrap_or_default();
        maps.iter().for_each(|map| drop(self.image(pid, map)));
    }

    fn map(&self, pid: u64, address: u64) -> Option<Map> {
        let maps = &self.known.get(&pid)?.maps;
        let after = maps.partition_point(|m| m.start <= address);
        let map = maps.get(after.checked_sub(1)?)?;
        (address < map.end).then(|| map.clone())
    }

    /// What an address is of.
    pub(super) fn place(&mut self, pid: u64, address: u64) -> Option<Place> {
        let map = match self.map(pid, address) {
            Some(map) => map,
            None => {
                let is_due = self.known.get(&pid).is_none_or(|p| p.read.elapsed() > PERIOD);
                if is_due {
                    self.read(pid);
                }
                self.map(pid, address)?
            }
        };
        let module = map.name().to_string();
        let offset = address - map.start + map.offset;
        let image = self.image(pid, &map);
        Some(match image.symbol(offset) {
            Some((symbol, offset)) => Place { module, symbol: Some(symbol.into()), offset },
            None if module.is_empty() => return None,
            None => Place { module, symbol: None, offset },
        })
    }

    /// The file behind a map, read once; an empty one if it cannot be.
    fn image(&mut self, pid: u64, map: &Map) -> Rc<Image> {
        if let Some(image) = self.images.get(&map.identity) {
            return image.clone();
        }
        let image = Rc::new(open(pid, map).and_then(Image::of).unwrap_or_default());
        self.images.insert(map.identity.clone(), image.clone());
        image
    }
}

/// The file itself, whatever its name has come to mean, or as the process would open it.
fn open(pid: u64, map: &Map) -> Option<File> {
    if !map.path.starts_with('/') {
        return None;
    }
    let itself = format!("/proc/{pid}/map_files/{:x}-{:x}", map.start, map.end);
    let inside = format!("/proc/{pid}/root{}", map.path);
    let paths = [itself, inside, map.path.clone()];
    // What is no file could have us wait.
    let is_file = |path: &&String| std::fs::metadata(path).is_ok_and(|m| m.is_file());
    paths.iter().filter(is_file).find_map(|path| File::open(path).ok())
}

/// `55d0c0a00000-55d0c0a02000 r-xp 00002000 fe:01 1234   /usr/bin/cat`, if it can be run.
fn parse(line: &str) -> Option<Map> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    if !words.next()?.contains('x') {
        return None;
    }
    let offset = number(words.next()?)?;
    let (device, inode) = (words.next()?.to_string(), words.next()?.to_string());
    let path = words.next().unwrap_or("").trim_start().to_string();
    Some(Map { start, end, offset, identity: Identity { device, inode }, path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let line = "7f00-8f00 r-xp 00026000 fe:01 1234                       /usr/lib/libc.so.6";
        let map = parse(line).unwrap();
        assert_eq!((map.start, map.end, map.offset), (0x7f00, 0x8f00, 0x26000));
        assert_eq!(map.name(), "libc.so.6");
        let deleted = parse("1-2 r-xp 0 0:1 1 /tmp/a program (deleted)").unwrap();
        assert_eq!(deleted.name(), "a program");
        assert_eq!(parse("1-2 r-xp 0 00:00 0 [vdso]").unwrap().name(), "[vdso]");
        assert!(parse("7f00-8f00 rw-p 00026000 fe:01 1234 /usr/lib/libc.so.6").is_none());
        assert!(parse("").is_none());
    }

    #[test]
    fn what_lies_between_functions_is_nobodys() {
        let functions = vec![(0x1100, 0x10, "a".into()), (0x1200, 0, "asm".into())];
        let image = Image { segments: vec![(0x100, 0x400, 0x1100)], functions };
        assert_eq!(image.symbol(0x10f), Some(("a", 15)));
        assert_eq!(image.symbol(0x110), None);
        assert_eq!(image.symbol(0x220), Some(("asm", 0x20)));
        assert_eq!(image.symbol(0x50), None);
        assert_eq!(image.symbol(0x500), None);
    }
}
