// SPDX-License-Identifier: GPL-2.0
//! `-x containers`: turns the key `curcgroup` into the names of Kubernetes' containers.
//!
//! The key is the inode of a control group below `/sys/fs/cgroup`. The group's path has the id of
//! the container, and the kubelet keeps a link `POD_NAMESPACE_CONTAINER-ID.log` for each container
//! in `/var/log/containers`. Neither needs the cluster's API.

use recording::{Aggregation, Datum, Entry, Sum};
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The key that is replaced.
const KEY: &str = "curcgroup";
/// The keys that replace it. A group that belongs to no container has its path in the last one.
pub const NAMES: [&str; 4] = ["namespace", "pod", "container", "cgroup"];
/// How many snapshots wait for the names of a new group. The kubelet makes a container's link after
/// the group.
const TRIES: u8 = 3;
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
    known: HashMap<u64, Names>,
    /// How often a group was looked for in vain.
    missed: HashMap<u64, u8>,
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
        fs::read_dir(links).map_err(failed)?;
        let (links, groups) = (links.to_path_buf(), groups.to_path_buf());
        Ok(Self { links, groups, known: HashMap::new(), missed: HashMap::new() })
    }

    /// Returns the aggregation with names instead of control groups; `None` if it has no such key.
    /// Entries whose names may still come are left out: their counts come with a later snapshot.
    pub fn named(&mut self, of: &Aggregation) -> Option<Aggregation> {
        let at = of.keynames.iter().position(|name| name == KEY)?;
        let group = |entry: &Entry| match entry.keys.get(at) {
            Some(Datum::Uint(id)) => Some(*id),
            Some(Datum::Int(id)) => u64::try_from(*id).ok(),
            _ => None,
        };
        self.look_for(of.entries.iter().filter_map(group));
        let mut named = Aggregation { entries: Vec::new(), ..of.clone() };
        named.keynames.splice(at..=at, NAMES.map(String::from));
        for entry in &of.entries {
            let Some(names) = group(entry).and_then(|id| self.known.get(&id)) else { continue };
            let mut entry = entry.clone();
            entry.keys.splice(at..=at, names.iter().cloned().map(Datum::String));
            named.entries.push(entry);
        }
        // A container that was restarted has the same names and another group.
        Some(Sum::new(named).aggregation)
    }

    fn look_for(&mut self, ids: impl Iterator<Item = u64>) {
        let mut wanted: Vec<u64> = ids.filter(|id| !self.known.contains_key(id)).collect();
        if wanted.is_empty() {
            return;
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut paths = HashMap::new();
        find(&self.groups, &wanted, &mut paths);
        let links = self.links();
        for id in wanted {
            let path = paths.get(&id).and_then(|p| p.strip_prefix(&self.groups).ok());
            let container = path.and_then(container);
            let names = container.and_then(|id| links.get(id));
            let missed = self.missed.entry(id).or_default();
            *missed += 1;
            let is_last = *missed >= TRIES;
            let names = match (names, path) {
                (Some(names), _) => names.clone(),
                (None, Some(path)) if container.is_none() || is_last => {
                    other(format!("/{}", path.display()))
                }
                // The group is gone, and its path with it.
                (None, None) if is_last => other(id.to_string()),
                _ => continue,
            };
            self.missed.remove(&id);
            self.known.insert(id, names);
        }
    }

    /// Returns the names of all containers by their ids.
    fn links(&self) -> HashMap<String, Names> {
        let Ok(all) = fs::read_dir(&self.links) else { return HashMap::new() };
        let all = all.flatten().filter_map(|link| link.file_name().into_string().ok());
        all.filter_map(|name| from_link(&name)).collect()
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

/// Finds the groups with these inodes, which are sorted.
fn find(folder: &Path, wanted: &[u64], found: &mut HashMap<u64, PathBuf>) {
    if let Some(id) = fs::metadata(folder).ok().map(|m| m.ino()) {
        if wanted.binary_search(&id).is_ok() {
            found.insert(id, folder.to_path_buf());
        }
    }
    let Ok(all) = fs::read_dir(folder) else { return };
    for inside in all.flatten().filter(|f| f.file_type().is_ok_and(|t| t.is_dir())) {
        if found.len() < wanted.len() {
            find(&inside.path(), wanted, found);
        }
    }
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

    fn told(a: &Aggregation) -> Vec<String> {
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
        let named = machine.containers().named(&counted(&ids)).unwrap();
        assert_eq!(named.keynames, ["execname", "namespace", "pod", "container", "cgroup"]);
        assert_eq!(
            told(&named),
            [
                "sh|shop|web-5d9|front-end| 20".to_string(),
                "sh||||/system.slice/sshd.service 5".to_string(),
                format!("sh||||/user.slice/kubepods/{c} 5"),
            ]
        );
        let mut plain = counted(&ids);
        plain.keynames.pop();
        assert_eq!(machine.containers().named(&plain), None);
    }

    #[test]
    fn a_late_link_is_waited_for() {
        let machine = Machine::new("late");
        let id = "c3".repeat(32);
        let group = machine.group(&format!("kubepods/crio-{id}.scope"));
        let mut containers = machine.containers();
        let mut next = || told(&containers.named(&counted(&[group, 1])).unwrap());
        assert_eq!(next(), [""; 0]);
        machine.link(&format!("db-0_shop_db-{id}.log"));
        assert_eq!(next(), ["sh|shop|db-0|db| 5"]);
        // The other group is gone; its number is all that is known.
        assert_eq!(next(), ["sh|shop|db-0|db| 5", "sh||||1 5"]);
        // Names stay when the container is gone.
        fs::remove_dir_all(machine.0.join("groups")).unwrap();
        assert_eq!(next().len(), 2);
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
