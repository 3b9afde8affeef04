// SPDX-License-Identifier: GPL-2.0
//! The files that were read. Processes share them, but not what a process may have invented.
//!
//! A file alone decides its segments, notes and DOF. The symbols of a stripped file are in another
//! file, and a process can mount a forged one where we look for it: a build id and a checksum are
//! easy to copy. So we look into our own folder for stripped data first, and everybody shares an
//! image that lacks nothing then. Any other image serves only the processes that see the same files
//! and have the file at the same path.

use crate::account::Account;
use crate::budget::{self, Share};
use crate::cache::Cache;
use crate::file_state::FileState;
use crate::files::{self, Source, View, ViewId};
use crate::image::Image;
use crate::limit;
use crate::maps::{Identity, Map};
use crate::stapsdt::{self, Note};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::rc::Rc;

/// The most files that are kept open to be read later.
const MOST_HELD: usize = 256;
/// The most files whose last state is kept.
const MOST_LAST: usize = 1 << 14;
/// The most views of processes that are kept for processes that have ended.
const MOST_VIEWS: usize = 256;
/// The most bytes of the probes that are kept of files.
const MOST_BROUGHT: usize = 128 << 20;
/// The bytes of a file without probes there: as much as a [`Share`] takes at least.
const BROUGHT: usize = 4096;

/// A mapped file as it was at one moment, and the files that the process saw then.
#[derive(Debug, Clone)]
pub struct Seen {
    state: FileState,
    view: Option<Rc<View>>,
}

impl Seen {
    /// Returns the files that the process saw; `None`: they are not known.
    pub fn view(&self) -> Option<&Rc<View>> {
        self.view.as_ref()
    }
}

/// The processes that an image serves: they see the same files, and this is the file's path.
/// `None`: it serves all.
type Audience = Option<(Option<ViewId>, Box<str>)>;

/// The images of a file in one state.
type Variants = Vec<(Audience, Rc<Image>)>;

/// The parts of one kind that were read of a file.
#[derive(Debug)]
struct Brought<T> {
    state: FileState,
    parts: Rc<[T]>,
    /// The memory of the parts.
    _share: Share,
}

/// The parts of each file by its device and inode: of a file that was written to, the old parts go.
type Known<T> = RefCell<Cache<[u64; 2], Brought<T>, MOST_BROUGHT>>;

/// The files that were read; processes share them.
#[derive(Debug, Default)]
pub struct Images {
    held: RefCell<Cache<FileState, Rc<File>, MOST_HELD>>,
    images: RefCell<HashMap<FileState, Variants>>,
    views: RefCell<Cache<ViewId, Rc<View>, MOST_VIEWS>>,
    notes: Known<Note>,
    dofs: Known<u8>,
    /// There was no memory for the probes that a file brings along.
    was_short: Cell<bool>,
    /// The last seen state of each file, for processes that have ended since.
    last: RefCell<Cache<Identity, FileState, MOST_LAST>>,
}

impl Images {
    /// Returns the file behind a map, read once; an empty one if it cannot be read.
    pub fn open(&self, pid: u32, map: &Map) -> Rc<Image> {
        match self.open_file(pid, map) {
            Some((file, state)) => {
                self.image(&Seen { state, view: self.view(pid) }, Some(file), pid, map)
            }
            None => self.held(self.last(map, None).as_ref(), pid, map),
        }
    }

    /// Returns the file behind a map in the state in which it was [held](Self::hold); an empty one
    /// if it could not be held.
    pub fn held(&self, seen: Option<&Seen>, pid: u32, map: &Map) -> Rc<Image> {
        match seen {
            Some(seen) => self.image(seen, None, pid, map),
            None => Rc::default(),
        }
    }

    /// Returns the files that a process sees; `None`: it has ended.
    pub fn view(&self, pid: u32) -> Option<Rc<View>> {
        let id = ViewId::of_process(pid)?;
        let mut views = self.views.borrow_mut();
        if let Some(view) = views.get(&id) {
            return Some(view.clone());
        }
        let view = Rc::new(View::of_process(pid)?);
        views.put(view.id(), view.clone(), 1, budget::payer());
        Some(view)
    }

    fn open_file(&self, pid: u32, map: &Map) -> Option<(File, FileState)> {
        let file = map.open(pid)?;
        let state = FileState::read(&file)?;
        self.last.borrow_mut().put(map.identity.clone(), state, 1, budget::payer());
        Some((file, state))
    }

    /// Returns the file behind a map in the state in which any process was last seen with it.
    pub fn last(&self, map: &Map, view: Option<&Rc<View>>) -> Option<Seen> {
        let state = self.last.borrow().get(&map.identity).copied()?;
        Some(Seen { state, view: view.cloned() })
    }

    /// Returns the image of a file for the processes with this view and path, if it was read.
    fn known(&self, state: FileState, view: Option<ViewId>, path: &str) -> Option<Rc<Image>> {
        let images = self.images.borrow();
        let serves = |a: &Audience| a.as_ref().is_none_or(|(v, p)| *v == view && **p == *path);
        images.get(&state)?.iter().find(|(a, _)| serves(a)).map(|(_, image)| image.clone())
    }

    fn image(&self, seen: &Seen, file: Option<File>, pid: u32, map: &Map) -> Rc<Image> {
        let (state, path) = (seen.state, map.file());
        // Most processes that have ended unseen have seen our files.
        let view = seen.view.clone().or_else(|| self.view(std::process::id()));
        let view_id = view.as_ref().map(|view| view.id());
        if let Some(image) = self.known(state, view_id, path) {
            return image;
        }
        let of_others = || self.images.borrow().get(&state)?.first()?.1.file();
        // There may have been no room to hold it.
        let again = || map.open(pid).filter(|file| FileState::read(file) == Some(state));
        let held = self.held.borrow_mut().remove(&state).or_else(of_others);
        // Perhaps the next process lets it be opened.
        let Some(file) = held.or_else(|| file.or_else(again).map(Rc::new)) else {
            return Rc::default();
        };
        // Each has up to three open files.
        let count: usize = self.images.borrow().values().map(Vec::len).sum();
        if count >= limit::most() / 4 {
            self.images.borrow_mut().clear();
        }
        let read = Image::read(file.clone(), path, view.clone());
        let image = read.unwrap_or_else(|| Image::nothing(file));
        let audience = image.lacks_data().then(|| (view_id, path.into()));
        let image = Rc::new(image);
        self.images.borrow_mut().entry(state).or_default().push((audience, image.clone()));
        image
    }

    /// Forgets the files that were read on behalf of this user, and those that got too little
    /// memory. Root: forgets all, and closes those that are held.
    pub fn forget(&mut self, of: Account) {
        if of == Account::ROOT {
            *self = Self::default();
            return;
        }
        self.images.get_mut().retain(|_, variants| {
            variants.retain(|(_, image)| image.account() != of && !image.was_short());
            !variants.is_empty()
        });
    }

    /// Keeps the file behind a map readable after its process, which has this view, has ended.
    pub fn hold(&self, pid: u32, map: &Map, view: Option<&Rc<View>>) -> Option<Seen> {
        let Some((file, state)) = self.open_file(pid, map) else { return self.last(map, view) };
        if !self.images.borrow().contains_key(&state) {
            self.held.borrow_mut().put(state, Rc::new(file), 1, budget::payer());
        }
        Some(Seen { state, view: view.cloned() })
    }

    /// Tells whether there was no memory for the probes that a file brings along, since the last
    /// call.
    pub fn was_short(&self) -> bool {
        self.was_short.take()
    }

    /// Returns the probes that a file brings along; `None`: it cannot be read, or there
    /// is no memory for them.
    pub(crate) fn notes(&self, file: &File) -> Option<Rc<[Note]>> {
        self.once(&self.notes, stapsdt::WEIGHT, file, stapsdt::read)
    }

    /// Returns the DOF in a file; `None`: it cannot be read, or there is no memory for
    /// it.
    pub(crate) fn dof(&self, file: &File) -> Option<Rc<[u8]>> {
        self.once(&self.dofs, 1, file, |file| section(file, ".SUNW_dof"))
    }

    /// Returns the parts of a file, read once, at the expense of the user who is billed; `None`: it
    /// cannot be read, or there is no memory for them. `weight` is the most bytes of one part.
    fn once<T>(
        &self,
        known: &Known<T>,
        weight: usize,
        file: &File,
        read: impl FnOnce(&File) -> Vec<T>,
    ) -> Option<Rc<[T]>> {
        let state = FileState::read(file)?;
        let mut known = known.borrow_mut();
        if let Some(same) = known.get(&state.file()).filter(|known| known.state == state) {
            return Some(same.parts.clone());
        }
        known.remove(&state.file());
        let parts: Rc<[T]> = read(file).into();
        let bytes = parts.len().saturating_mul(weight).saturating_add(BROUGHT);
        let mut share = Share::default();
        if !share.grow(bytes) {
            // Images can be read again, and may be large.
            self.images.borrow_mut().clear();
            if !share.grow(bytes) {
                self.was_short.set(true);
                return None;
            }
        }
        let brought = Brought { state, parts: parts.clone(), _share: share };
        known.put(state.file(), brought, bytes, budget::payer());
        Some(parts)
    }
}

/// Returns the bytes of a section; none if there is no such section.
fn section(file: &File, name: &str) -> Vec<u8> {
    let source = Source::new(file);
    let elf = source.elf();
    elf.and_then(|elf| files::section(&elf, name)).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::MOST_OF_ONE;
    use object::Object;
    use std::path::Path;
    use std::process::Command;

    /// Returns the path of the stripped data of a file, below a root.
    fn path_of_data(file: &Path) -> String {
        let bytes = std::fs::read(file).unwrap();
        let id = object::File::parse(&*bytes).unwrap().build_id().unwrap().unwrap().to_vec();
        let rest: String = id[1..].iter().map(|b| format!("{b:02x}")).collect();
        format!("usr/lib/debug/.build-id/{:02x}/{rest}.debug", id[0])
    }

    /// A process that sees a forged file of symbols has them for itself.
    #[test]
    fn each_view_has_its_own_symbols() {
        let folder = std::env::temp_dir().join(format!("dtrace-views-{}", std::process::id()));
        let jail = folder.join("jail");
        let (whole, stripped) = (Path::new("/proc/self/exe"), folder.join("stripped"));
        let data = jail.join(path_of_data(whole));
        std::fs::create_dir_all(data.parent().unwrap()).unwrap();
        std::fs::copy(whole, &data).unwrap();
        let strip = Command::new("strip").arg("-o").arg(&stripped).arg(&data).status().unwrap();
        assert!(strip.success());
        let path = stripped.to_str().unwrap();
        let map = Map::parse(&format!("1000-2000 r-xp 0 8:1 7 {path}")).unwrap();
        let images = Images::default();
        let state = FileState::read(&File::open(&stripped).unwrap()).unwrap();
        let me = std::process::id();
        let functions = |view: &Option<Rc<View>>, map: &Map| {
            let seen = Seen { state, view: view.clone() };
            let file = Some(File::open(&stripped).unwrap());
            images.image(&seen, file, me, map).functions().len()
        };
        let theirs = Some(Rc::new(View::below(&jail).unwrap()));
        let all = functions(&theirs, &map);
        let ours = images.view(me);
        assert!(ours.as_ref().unwrap().is_ours());
        let few = functions(&ours, &map);
        assert!(all > few + 100, "{all} {few}");
        assert_eq!([functions(&theirs, &map), functions(&None, &map)], [all, few]);
        assert_eq!(images.images.borrow()[&state].len(), 2);
        // A process decides the path, and the file may name another one next to it.
        let elsewhere = Map::parse("1000-2000 r-xp 0 8:1 7 /nowhere").unwrap();
        functions(&ours, &elsewhere);
        assert_eq!(images.images.borrow()[&state].len(), 3);
        // An image for a process whose files are not known is as good as that of the next one.
        let images = Images::default();
        let [first, second] = [None, images.view(me)].map(|view| {
            let file = Some(File::open(&stripped).unwrap());
            images.image(&Seen { state, view }, file, me, &map)
        });
        assert!(Rc::ptr_eq(&first, &second));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// A program with many probes that is written to and run again and again keeps memory for its
    /// last state only.
    #[test]
    fn probes_of_files_leave_room_for_those_of_others() {
        let images = Images::default();
        let me = std::process::id();
        let path = std::env::temp_dir().join(format!("dtrace-touched-{me}"));
        let read = |bytes: usize| {
            let file = File::options().append(true).create(true).read(true).open(&path).unwrap();
            std::io::Write::write_all(&mut &file, b"x").unwrap();
            images.once(&images.dofs, 1, &file, |_| vec![0; bytes])
        };
        let large = MOST_OF_ONE / 4;
        for _ in 0..9 {
            assert_eq!(read(large).unwrap().len(), large);
        }
        assert!(!images.was_short());
        // More than a file may have.
        assert!(read(MOST_OF_ONE).is_none());
        assert!(images.was_short() && !images.was_short());
        assert_eq!(read(1).unwrap().len(), 1);
        std::fs::remove_file(&path).unwrap();
    }

    /// A user who maps ever new files takes no room from other users.
    #[test]
    fn files_of_one_user_leave_room_for_those_of_others() {
        let images = Images::default();
        let me = std::process::id();
        let maps = crate::maps::read(me).unwrap();
        let mut files = maps.iter().filter(|m| m.is_executable && m.is_file());
        let own = files.next().unwrap();
        let other = files.find(|m| m.identity != own.identity).unwrap();
        let (mut state, Seen { state: seen, .. }) = (None, images.hold(me, own, None).unwrap());
        let [busy, late] = [1, 2].map(Account::user);
        let folder = std::env::temp_dir();
        for n in 0..MOST_HELD + 9 {
            let path = folder.join(format!("dtrace-held-{me}-{n}"));
            std::fs::write(&path, n.to_ne_bytes()).unwrap();
            let file = File::open(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            let now = FileState::read(&file).unwrap();
            images.held.borrow_mut().put(now, Rc::new(file), 1, busy);
            state.get_or_insert(now);
        }
        let has = |state| images.held.borrow().get(&state).is_some();
        assert!(has(seen) && !has(state.unwrap()));
        let late = budget::on_behalf(late, || images.hold(me, other, None)).unwrap();
        assert!(has(late.state));
        for inode in 0..MOST_LAST as u64 + 9 {
            let identity = Identity { inode: inode + (1 << 40), ..Identity::default() };
            images.last.borrow_mut().put(identity, late.state, 1, busy);
        }
        assert!(images.last(own, None).is_some());
    }

    /// A user with containers without end takes no room from other users.
    #[test]
    fn views_of_one_user_leave_room_for_those_of_others() {
        let (images, me) = (Images::default(), std::process::id());
        let view = images.view(me).unwrap();
        let folder = std::env::temp_dir().join(format!("dtrace-roots-{me}"));
        for n in 0..MOST_VIEWS + 9 {
            let root = folder.join(n.to_string());
            std::fs::create_dir_all(&root).unwrap();
            let theirs = View::below(&root).unwrap();
            images.views.borrow_mut().put(theirs.id(), Rc::new(theirs), 1, Account::user(1));
        }
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Rc::ptr_eq(&view, &images.view(me).unwrap()));
        // A view that has to give way can be made again.
        images.views.borrow_mut().remove(&view.id());
        assert!(budget::on_behalf(Account::user(1), || images.view(me)).is_some());
    }

    /// All processes share a file that has its symbols itself.
    #[test]
    fn nothing_is_read_twice() {
        let images = Images::default();
        let me = std::process::id();
        let maps = crate::maps::read(me).unwrap();
        let own = maps.iter().find(|m| m.is_executable && m.is_file()).unwrap();
        let first = images.open(me, own);
        assert!(Rc::ptr_eq(&first, &images.open(me, own)));
        let seen = images.hold(me, own, images.view(me).as_ref());
        assert!(Rc::ptr_eq(&first, &images.held(seen.as_ref(), u32::MAX, own)));
        assert!(Rc::ptr_eq(&images.view(me).unwrap(), &images.view(me).unwrap()));
    }
}
