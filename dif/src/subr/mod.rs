// SPDX-License-Identifier: GPL-2.0
//! Subroutines, one family per file. Pure ones run here, in scratch memory; those that need the
//! kernel are passed to the host.
//!
//! Strings longer than strsize are cut, as everywhere in D. A subroutine that returns a part of its
//! argument (`strchr`, `strstr`) returns an address inside it; all other strings are made in
//! scratch. Time is linear in strsize.

mod convert;
mod copy;
mod json;
mod net;
mod path;
mod string;

pub(crate) use copy::alloc;

use abi::dif::Subr;

use crate::env::Env;
use crate::fault::Raised;
use crate::mem::Mem;
use crate::tuple::Pushed;

/// The arguments of a subroutine.
#[derive(Clone, Copy)]
pub(crate) struct Args<'t>(pub(crate) &'t [Pushed]);

impl Args<'_> {
    /// Returns argument `n`. A missing argument is an illegal operation.
    fn get(&self, n: usize) -> Result<u64, Raised> {
        self.opt(n).ok_or(Raised::ill_op())
    }

    /// Returns argument `n`, if there is one.
    fn opt(&self, n: usize) -> Option<u64> {
        self.0.get(n).map(|p| p.value)
    }
}

/// Tells whether a subroutine changes the traced system.
pub(crate) const fn is_destructive(subr: Subr) -> bool {
    matches!(subr, Subr::Copyout | Subr::Copyoutstr)
}

/// Runs a subroutine.
#[inline(never)]
pub(crate) fn call<E: Env>(
    mem: &mut Mem<'_, '_, E>,
    subr: Subr,
    args: Args<'_>,
) -> Result<u64, Raised> {
    match subr {
        // Like C's `rand`: an int that is never negative.
        Subr::Rand => Ok(mem.env.random() & 0x7fff_ffff),
        Subr::Progenyof => mem.env.progenyof(args.get(0)?).map(u64::from),
        Subr::Speculation => mem.env.speculation(),

        Subr::Copyin => copy::copyin(mem, args),
        Subr::Copyinstr => copy::copyinstr(mem, args),
        Subr::Copyinto => copy::copyinto(mem, args),
        Subr::Copyout => copy::copyout(mem, args),
        Subr::Copyoutstr => copy::copyoutstr(mem, args),
        Subr::Alloca => alloc(mem, args.get(0)?),
        Subr::Bcopy => copy::bcopy(mem, args),
        Subr::Memstr => copy::memstr(mem, args),

        Subr::Strlen => string::strlen(mem, args),
        Subr::Strjoin => string::strjoin(mem, args),
        Subr::Strchr => string::strchr(mem, args),
        Subr::Strrchr => string::strrchr(mem, args),
        Subr::Strstr => string::strstr(mem, args),
        Subr::Strtok => string::strtok(mem, args),
        Subr::Substr => string::substr(mem, args),
        Subr::Index => string::index(mem, args),
        Subr::Rindex => string::rindex(mem, args),
        Subr::Toupper => string::change_case(mem, args, u8::to_ascii_uppercase),
        Subr::Tolower => string::change_case(mem, args, u8::to_ascii_lowercase),

        Subr::Basename => path::basename(mem, args),
        Subr::Dirname => path::dirname(mem, args),
        Subr::Cleanpath => path::cleanpath(mem, args),

        Subr::DPath => path::of_kernel(mem, args, false),
        Subr::MntPath => path::of_kernel(mem, args, true),

        Subr::Lltostr => convert::lltostr(mem, args),
        Subr::Strtoll => convert::strtoll(mem, args),
        Subr::Getmajor => args.get(0).map(convert::getmajor),
        Subr::Getminor => args.get(0).map(convert::getminor),

        Subr::Htons | Subr::Ntohs => args.get(0).map(net::swap16),
        Subr::Htonl | Subr::Ntohl => args.get(0).map(net::swap32),
        Subr::Htonll | Subr::Ntohll => args.get(0).map(net::swap64),
        Subr::InetNtop => net::inet_ntop(mem, args),
        Subr::InetNtoa => net::inet_ntoa(mem, args),
        Subr::InetNtoa6 => net::inet_ntoa6(mem, args),
        Subr::LinkNtop => net::link_ntop(mem, args),

        Subr::Json => json::json(mem, args),

        Subr::MutexOwned
        | Subr::MutexOwner
        | Subr::MutexTypeAdaptive
        | Subr::MutexTypeSpin
        | Subr::RwReadHeld
        | Subr::RwWriteHeld
        | Subr::RwIswriter
        | Subr::Msgdsize
        | Subr::Msgsize
        | Subr::DdiPathname
        | Subr::Getf => host(mem, subr, args),
    }
}

/// Passes a call to the host.
#[inline(never)]
fn host<E: Env>(mem: &mut Mem<'_, '_, E>, subr: Subr, args: Args<'_>) -> Result<u64, Raised> {
    let values: heapless::Vec<u64, { abi::dif::NTUPLE }> = args.0.iter().map(|p| p.value).collect();
    mem.env.subr(subr, &values)
}
