// SPDX-License-Identifier: GPL-2.0
//! Path names: basename, dirname, cleanpath. They only handle text and do not look at a file
//! system, so they do not resolve symbolic links. `d_path` and `mnt_path` call the host.

use crate::bound::price;
use crate::env::{Env, MAX_PATH};
use crate::fault::Raised;
use crate::mem::{Mem, Out};
use crate::subr::Args;

/// Returns a path without trailing slashes.
fn without_slashes(path: &[u8]) -> &[u8] {
    let len = path.iter().rposition(|&b| b != b'/').map_or(0, |n| n.saturating_add(1));
    path.get(..len).unwrap_or_default()
}

/// `basename(path)`: "." for an empty path, "/" for the root.
#[inline(never)]
pub(super) fn basename<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    apply(mem, args, |path, out| {
        let name = without_slashes(path);
        match name {
            [] if path.is_empty() => out.push(b'.'),
            [] => out.push(b'/'),
            _ => out.extend(name.rsplit(|&b| b == b'/').next().unwrap_or_default()),
        }
    })
}

/// `dirname(path)`: "." for a path without a directory, "/" for one directly below the root.
#[inline(never)]
pub(super) fn dirname<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    apply(mem, args, |path, out| {
        let name = without_slashes(path);
        match name.iter().rposition(|&b| b == b'/') {
            None if name.is_empty() && !path.is_empty() => out.push(b'/'),
            None => out.push(b'.'),
            Some(n) => match without_slashes(name.get(..n).unwrap_or_default()) {
                [] => out.push(b'/'),
                dir => out.extend(dir),
            },
        }
    })
}

/// `cleanpath(path)`: collapses "//", "/./" and "/../". A slash or "/." at the end stays. The
/// parent of the root is the root. A relative path may still begin with "..", and is never empty
/// but ".".
#[inline(never)]
pub(super) fn cleanpath<E: Env>(mem: &mut Mem<'_, '_, E>, args: Args<'_>) -> Result<u64, Raised> {
    apply(mem, args, clean)
}

fn clean(path: &[u8], out: &mut Out<'_>) {
    if path.is_empty() {
        return;
    }
    let absolute = path.first() == Some(&b'/');
    if absolute {
        out.push(b'/');
    }
    let root = out.written().len();
    for part in path.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                let written = out.written().get(root..).unwrap_or_default();
                let last = written.rsplit(|&b| b == b'/').next().unwrap_or_default();
                if last.is_empty() || last == b".." {
                    if !absolute {
                        append(part, root, out);
                    }
                } else {
                    // Remove the slash before the last part, too.
                    let keep = written.len().saturating_sub(last.len()).saturating_sub(1);
                    out.truncate(root.saturating_add(keep));
                }
            }
            _ => append(part, root, out),
        }
    }
    if out.written().is_empty() {
        out.push(b'.');
    }
    // A final "/." stays, because it is not followed by a slash; so does the slash of a final
    // "/..".
    let ends_in_dot = path.ends_with(b"/.");
    let ends_above = absolute && path.ends_with(b"/..");
    let has_slash = ends_in_dot || ends_above || path.last() == Some(&b'/');
    if has_slash && out.written().last() != Some(&b'/') {
        out.push(b'/');
    }
    if ends_in_dot {
        out.push(b'.');
    }
}

fn append(part: &[u8], root: usize, out: &mut Out<'_>) {
    if out.written().len() > root {
        out.push(b'/');
    }
    out.extend(part);
}

/// `d_path(p)`: the name of the file that a `struct path` of the kernel stands for; `mnt_path(p)`:
/// the mount point of its file system.
#[inline(never)]
pub(super) fn of_kernel<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    args: Args<'_>,
    of_mount: bool,
) -> Result<u64, Raised> {
    let at = args.get(0)?;
    let mut room = [0; MAX_PATH];
    let name = mem.env.path(at, of_mount, &mut room)?;
    let mark = mem.clause.mark();
    mem.compose(mark, |_, out| out.extend(name))
}

fn apply<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    args: Args<'_>,
    write: impl FnOnce(&[u8], &mut Out<'_>),
) -> Result<u64, Raised> {
    let mark = mem.clause.mark();
    let path = mem.arg_text(args.get(0)?)?;
    mem.pay_for(&path, price::PATH)?;
    mem.compose(mark, |texts, out| write(texts.get(&path), out))
}
