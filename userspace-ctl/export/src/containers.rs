// SPDX-License-Identifier: GPL-2.0
//! `-x containers`: turns the key `curcgroup` into the names of Kubernetes' containers.
//!
//! The key is the inode of a control group below `/sys/fs/cgroup`. The group's path has the id of
//! the container, and the kubelet keeps a link `POD_NAMESPACE_CONTAINER-ID.log` for each container
//! in `/var/log/containers`. Neither needs the cluster's API.

use recording::{Aggregation, Datum, Entry};
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The key that is replaced.
const KEY: &str = "curcgroup";
/// The keys that replace it. A group that belongs to no container has its path in the last one.
pub const NAMES: [&str; 4] = ["namespace", "pod", "container", "cgroup"];
/// How long a new group waits for its names. The kubelet makes a container's link after the group.
const PATIENCE: Duration = Duration::from_secs(3);
/// The least time between two looks at all groups. A session with a snapshot each second, which may
/// be a little early, looks each time.
const REST: Duration = Duration::from_millis(900);
/// The most groups that a look finds, because users may make groups of their own.
const GROUPS: usize = 100_000;
/// The most groups whose names are kept.
const KNOWN: usize = 100_000;
/// How long names are kept at least after the last state that has the group.
const KEPT: Duration = Duration::from_secs(3600);
/// The digits of a container's id.
const ID: usize = 64;

/// The values of the four keys.
type Names = [String; NAMES.len()];

/// The names of control groups.
#[derive(Debug)]
pub struct Containers {
    /// The folder with the links.
    links: PathBuf,
    /// The root of all control groups.
    groups: PathBuf,
    look: Option<Look>,
    known: HashMap<u64, Known>,
    /// When a group without names was first seen.
    missed: HashMap<u64, Instant>,
}

/// All groups and links at some time.
#[derive(Debug)]
struct Look {
    at: Instant,
    /// The paths below the root, by inode.
    paths: HashMap<u64, PathBuf>,
    /// The names of containers by their ids.
    links: HashMap<String, Names>,
}

/// The names of a group.
#[derive(Debug)]
struct Known {
    names: Names,
    /// The time of the last state that has it.
    used: Instant,
}

/// An aggregation with names instead of control groups.
#[derive(Debug)]
pub struct Named {
    /// The aggregation. A container that was restarted has the same names and another group, so
    /// entries may have the same keys.
    pub aggregation: Aggregation,
    /// The number of entries that are left out, because their groups have no names yet.
    pub waiting: u64,
}

impl Containers {
    /// Reads the names in this folder. The error is a sentence.
    pub fn open(links: &Path) -> Result<Self, String> {
        Self::of(links, Path::new("/sys/fs/cgroup"))
    }

    fn of(links: &Path, groups: &Path) -> Result<Self, String> {
        let failed = |e| {
            format!(
                "failed to read '{}', which -x containers names: {e}; expected the folder in which \
                 the kubelet keeps links to the logs of containers, /var/log/containers",
                links.display()
            )
        };
        named::list(links).map_err(failed)?;
        let (links, groups) = (links.to_path_buf(), groups.to_path_buf());
        let (known, missed) = (HashMap::new(), HashMap::new());
        Ok(Self { links, groups, look: None, known, missed })
    }

    /// Returns the aggregation with names instead of control groups; `None` if it has no such key.
    /// The counts of entries that are left out come with a later snapshot.
    pub fn named(&mut self, of: &Aggregation, now: Instant) -> Option<Named> {
        let at = of.keynames.iter().position(|name| name == KEY)?;
        let group = |entry: &Entry| match entry.keys.get(at) {
            Some(Datum::Uint(id)) => Some(*id),
            Some(Datum::Int(id)) => u64::try_from(*id).ok(),
            _ => None,
        };
        self.look_for(of.entries.iter().filter_map(group), now);
        let mut aggregation = Aggregation { entries: Vec::new(), ..of.clone() };
        aggregation.keynames.splice(at..=at, NAMES.map(String::from));
        for entry in &of.entries {
            let Some(known) = group(entry).and_then(|id| self.known.get(&id)) else { continue };
            let mut entry = entry.clone();
            entry.keys.splice(at..=at, known.names.iter().cloned().map(Datum::String));
            aggregation.entries.push(entry);
        }
        let waiting = (of.entries.len() - aggregation.entries.len()) as u64;
        Some(Named { aggregation, waiting })
    }

    fn look_for(&mut self, ids: impl Iterator<Item = u64>, now: Instant) {
        let mut wanted = Vec::new();
        for id in ids {
            match self.known.get_mut(&id) {
                Some(known) => known.used = now,
                None => wanted.push(id),
            }
        }
        let is_old = |look: &Look| now.saturating_duration_since(look.at) >= REST;
        if !wanted.is_empty() && self.look.as_ref().is_none_or(is_old) {
            self.look = Some(Look::new(&self.links, &self.groups, now));
            let is_kept = |time: Instant| now.saturating_duration_since(time) < KEPT;
            self.missed.retain(|_, first| is_kept(*first));
            if self.known.len() >= KNOWN {
                self.known.retain(|_, known| is_kept(known.used));
            }
        }
        for id in wanted {
            if self.known.len() >= KNOWN {
                break;
            }
            if let Some(names) = self.names(id, now) {
                self.missed.remove(&id);
                self.known.insert(id, Known { names, used: now });
            }
        }
    }

    /// Returns the names of a group, unless they may still come.
    fn names(&mut self, id: u64, now: Instant) -> Option<Names> {
        let look = self.look.as_ref()?;
        let path = look.paths.get(&id);
        let container = path.and_then(|path| container(path));
        if let Some(names) = container.and_then(|id| look.links.get(id)) {
            return Some(names.clone());
        }
        let is_late = match self.missed.get(&id) {
            Some(first) => now.saturating_duration_since(*first) >= PATIENCE,
            None if self.missed.len() < KNOWN => {
                self.missed.insert(id, now);
                false
            }
            None => false,
        };
        match path {
            Some(path) if container.is_none() || is_late => {
                Some(other(format!("/{}", path.display())))
            }
            // The group is gone, and its path with it.
            None if is_late => Some(other(id.to_string())),
            _ => None,
        }
    }
}

impl Look {
    fn new(links: &Path, groups: &Path, at: Instant) -> Self {
        let all = named::list(links).unwrap_or_default();
        let names = all.iter().filter_map(|link| link.file_name()?.to_str());
        let links = names.filter_map(from_link).collect();
        Self { at, paths: paths(groups), links }
    }
}

/// Returns the names of a group without a container.
fn other(group: String) -> Names {
    let [namespace, pod, container] = <[String; 3]>::default();
    [namespace, pod, container, group]
}

/// Reads `POD_NAMESPACE_CONTAINER-ID.log`.
fn from_link(name: &str) -> Option<(String, Names)> {
    let (names, id) = name.strip_suffix(".log")?.rsplit_once('-')?;
    let (pod, rest) = names.split_once('_')?;
    let (namespace, container) = rest.split_once('_')?;
    let names = [namespace.into(), pod.into(), container.into(), String::new()];
    is_id(id).then(|| (id.to_string(), names))
}

fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the container's id in the path of a group: `cri-containerd-ID.scope`, `crio-ID.scope`,
/// `docker-ID.scope`, or `ID` alone, below the kubelet's `kubepods`. A container may have groups
/// below its own, and other users below their sessions and services; they choose those names.
fn container(path: &Path) -> Option<&str> {
    let mut parts = path.iter().filter_map(|part| part.to_str());
    let is_delegated = |part: &str| part == "user.slice" || part.ends_with(".service");
    parts.by_ref().take_while(|part| !is_delegated(part)).find(|part| part.contains("kubepods"))?;
    parts.find_map(|part| {
        let name = part.strip_suffix(".scope").unwrap_or(part);
        let id = name.rsplit_once('-').map_or(name, |(_, id)| id);
        is_id(id).then_some(id)
    })
}

/// Returns the paths of all groups below the root, by inode.
fn paths(root: &Path) -> HashMap<u64, PathBuf> {
    let mut found = HashMap::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop().filter(|_| found.len() < GROUPS) {
        let Ok(about) = fs::metadata(&folder) else { continue };
        let inside = fs::read_dir(&folder).into_iter().flatten().flatten();
        let inside = inside.filter(|f| f.file_type().is_ok_and(|t| t.is_dir()));
        folders.extend(inside.map(|f| f.path()).take(GROUPS));
        if found.is_empty() {
            // The last one comes first: pods must not be missed for users' groups.
            folders.sort_by_key(|f| f.to_string_lossy().contains("kubepods"));
        }
        let below = folder.strip_prefix(root).map(Path::to_path_buf);
        found.insert(about.ino(), below.unwrap_or(folder));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Folders of groups and links, which disappear at the end.
    struct Machine(PathBuf);

    impl Machine {
        fn new(name: &str) -> Self {
            let own = format!("dtrace-containers-{name}-{}", std::process::id());
            let machine = Self(std::env::temp_dir().join(own));
            fs::create_dir_all(machine.0.join("groups")).unwrap();
            fs::create_dir_all(machine.0.join("links")).unwrap();
            machine
        }

        /// Makes a group and returns its inode.
        fn group(&self, path: &str) -> u64 {
            let path = self.0.join("groups").join(path);
            fs::create_dir_all(&path).unwrap();
            fs::metadata(path).unwrap().ino()
        }

        fn link(&self, name: &str) {
            fs::write(self.0.join("links").join(name), "").unwrap();
        }

        fn containers(&self) -> Containers {
            Containers::of(&self.0.join("links"), &self.0.join("groups")).unwrap()
        }
    }

    impl Drop for Machine {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn counted(ids: &[u64]) -> Aggregation {
        let entry = |id: &u64| {
            format!(
                r#"{{"keys":[{{"type":"string","value":"sh"}},{{"type":"uint","value":{id}}}],"value":5}}"#
            )
        };
        let entries: Vec<String> = ids.iter().map(entry).collect();
        let text = format!(
            r#"{{"name":"n","function":"count","keynames":["execname","curcgroup"],"entries":[{}]}}"#,
            entries.join(",")
        );
        serde_json::from_str(&text).unwrap()
    }

    fn told(named: Option<Named>) -> Vec<String> {
        let mut a = named.unwrap().aggregation;
        a.add_up();
        let entry = |e: &Entry| {
            let keys: Vec<String> = e.keys.iter().map(Datum::to_string).collect();
            format!("{} {}", keys.join("|"), e.value.unwrap())
        };
        a.entries.iter().map(entry).collect()
    }

    #[test]
    fn groups_become_names() {
        let machine = Machine::new("names");
        let [a, b, c] = ["a1", "b2", "c3"].map(|id| id.repeat(32));
        let pods = "kubepods.slice/kubepods-burstable.slice";
        let ids = [
            machine.group(&format!("{pods}/cri-containerd-{a}.scope")),
            // A group inside of the container, and the container's next life.
            machine.group(&format!("{pods}/cri-containerd-{a}.scope/init")),
            machine.group(&format!("kubepods/pod1/{b}")),
            machine.group("system.slice/sshd.service"),
            // A container and a user who want to be taken for another container.
            machine.group(&format!("{pods}/cri-containerd-{a}.scope/{c}")),
            machine.group(&format!("user.slice/kubepods/{c}")),
        ];
        machine.link(&format!("web-5d9_shop_front-end-{a}.log"));
        machine.link(&format!("web-5d9_shop_front-end-{b}.log"));
        machine.link(&format!("api-0_shop_api-{c}.log"));
        machine.link("no_name.log");
        let named = machine.containers().named(&counted(&ids), Instant::now());
        let keynames = &named.as_ref().unwrap().aggregation.keynames;
        assert_eq!(keynames[..], ["execname", "namespace", "pod", "container", "cgroup"]);
        assert_eq!(
            told(named),
            [
                "sh|shop|web-5d9|front-end| 20".to_string(),
                "sh||||/system.slice/sshd.service 5".to_string(),
                format!("sh||||/user.slice/kubepods/{c} 5"),
            ]
        );
        let mut plain = counted(&ids);
        plain.keynames.pop();
        assert!(machine.containers().named(&plain, Instant::now()).is_none());
    }

    #[test]
    fn a_late_link_is_waited_for() {
        let machine = Machine::new("late");
        let id = "c3".repeat(32);
        let group = machine.group(&format!("kubepods/crio-{id}.scope"));
        let mut containers = machine.containers();
        let start = Instant::now();
        let mut at = |ms: u64| {
            let now = start + Duration::from_millis(ms);
            let named = containers.named(&counted(&[group, 1]), now);
            (named.as_ref().unwrap().waiting, told(named))
        };
        let db = || "sh|shop|db-0|db| 5".to_string();
        // Each snapshot has several aggregations, and a program may print in between.
        assert_eq!(
            (at(0), at(1), at(2), at(3)),
            ((2, vec![]), (2, vec![]), (2, vec![]), (2, vec![]))
        );
        machine.link(&format!("db-0_shop_db-{id}.log"));
        // All groups are looked at once a second.
        assert_eq!(at(800), (2, vec![]));
        assert_eq!(at(1000), (1, vec![db()]));
        assert_eq!(at(2900), (1, vec![db()]));
        // The other group is gone; its number is all that is known.
        assert_eq!(at(3000), (0, vec![db(), "sh||||1 5".into()]));
        // Names stay when the container is gone.
        fs::remove_dir_all(machine.0.join("groups")).unwrap();
        assert_eq!(at(9000).1.len(), 2);
    }

    #[test]
    fn a_missing_folder_is_refused() {
        let why = Containers::open(Path::new("/nonexistent")).unwrap_err();
        assert!(
            why.starts_with("failed to read '/nonexistent', which -x containers names"),
            "{why}"
        );
    }
}
