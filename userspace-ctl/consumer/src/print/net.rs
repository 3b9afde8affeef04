// SPDX-License-Identifier: GPL-2.0
//! `%I` and `%P`: names of addresses and ports from the machine's databases.

use crate::sys;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;

/// Names that were looked up; each answer of a name server may take seconds.
type Names<K> = RefCell<HashMap<K, Option<String>>>;

thread_local! {
    static HOSTS: Names<IpAddr> = RefCell::default();
    static SERVICES: Names<u16> = RefCell::default();
}

fn look_up<K: Hash + Eq + Copy>(
    names: &Names<K>,
    key: K,
    ask: fn(K) -> Option<String>,
) -> Option<String> {
    names.borrow_mut().entry(key).or_insert_with(|| ask(key)).clone()
}

/// Returns the host name of an address given as text; other text stays unchanged.
pub fn host(text: &[u8]) -> Vec<u8> {
    let address = std::str::from_utf8(text).ok().and_then(|t| t.parse::<IpAddr>().ok());
    let name = address.and_then(|a| HOSTS.with(|names| look_up(names, a, sys::host_name)));
    name.map_or_else(|| text.to_vec(), String::into_bytes)
}

/// Returns the name of the service at a port, or the port.
pub fn service(port: u16) -> String {
    let name = SERVICES.with(|names| look_up(names, port, sys::service_name));
    name.unwrap_or_else(|| port.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_stays() {
        assert_eq!(host(b"no address"), b"no address");
        // 240.0.0.0/4 is reserved: nobody uses it, and no server is asked twice.
        assert_eq!(host(b""), b"");
        assert_eq!(service(1), std::fs::read_to_string("/etc/services").map_or("1".into(), named));
    }

    /// Returns the name of port 1 in `/etc/services`.
    fn named(services: String) -> String {
        let line = services.lines().find(|l| l.split_whitespace().nth(1) == Some("1/tcp"));
        line.and_then(|l| l.split_whitespace().next()).unwrap_or("1").into()
    }
}
