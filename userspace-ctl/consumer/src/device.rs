// SPDX-License-Identifier: GPL-2.0
//! The real kernel: `/dev/dtrace/dtrace` and its ioctls.

use crate::error::{reason, Error, Refusal};
use crate::kernel::{
    Aggregation, Answer, Buffer, Count, Eprobe, Kernel, Made, Room, Snapshot, Started,
};
use crate::sys::{self, Plain, Window};
use abi::conf::{Conf, ABI_VERSION};
use abi::ids::{AggId, Epid, FormatId};
use abi::ioctl::{self, BufDesc, Done, Enable, Explain, Format, Go, Probes, Report, Symbol};
use abi::option::OptionId;
use abi::probe::{until_nul, ProbeDesc, ProbeView};
use abi::reason::Reason;
use abi::record::{AggDesc, EprobeDesc, RecDesc};
use abi::status::Status;
use abi::unwind::{self, Key, Object, Row, Strangers};
use abi::user::{self, Make};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use zerocopy::{FromZeros, IntoBytes};

/// The first words of an initialisation failure.
const INIT: &str = "failed to initialize dtrace";

/// The least and the most bytes of room for a snapshot; GO reports what is needed.
const FIRST_ROOM: usize = 64 << 10;
const MOST_ROOM: usize = 16 << 30;

/// The most refusals of one MAKE that are reported one by one.
const MOST_REFUSALS: usize = 256;

/// Returns the explanation if the kernel denies tracing to everybody, whatever their privileges.
fn lockdown() -> Option<String> {
    let modes = std::fs::read_to_string("/sys/kernel/security/lockdown").ok()?;
    modes.contains("[confidentiality]").then(|| {
        "the kernel is locked down (lockdown=confidentiality): it lets nobody read its memory until it \
         is booted otherwise"
            .to_string()
    })
}

/// Returns what to do when no module is loaded.
fn unloaded() -> String {
    match doctor::refusal(&doctor::Machine::here(env!("CARGO_PKG_VERSION"))) {
        Some((found, remedy)) => format!(
            "the module is not loaded, and `dtrace --doctor` finds a reason: {found}\n=> {remedy}"
        ),
        None => "the module is not loaded: `modprobe dtrace` or `insmod dtrace.ko`; if that fails, `dtrace --doctor` tells why".into(),
    }
}

/// An open consumer state.
pub struct Device {
    file: Arc<File>,
    /// Bytes of room for a snapshot; it grows when the kernel asks for more.
    room: usize,
    /// The packed probes of one PROBES call.
    batch: Vec<u8>,
}

impl Device {
    /// Opens the device and checks that the module and this command speak the same interface.
    pub fn open() -> Result<Self, Error> {
        let file =
            File::options().read(true).write(true).open(ioctl::DEVICE).map_err(|e| {
                match e.raw_os_error() {
                    Some(libc::ENOENT | libc::ENXIO | libc::ENODEV) => {
                        Error::new(INIT, "DTrace device not available on system").hint(unloaded())
                    }
                    Some(libc::EACCES | libc::EPERM) => {
                        let e = Error::new(INIT, "DTrace requires additional privileges");
                        match lockdown() {
                            Some(why) => e.hint(why),
                            None => e,
                        }
                    }
                    _ => Error::new(INIT, format!("{}: {}", ioctl::DEVICE, reason(&e))),
                }
            })?;
        let mut device = Self { file: Arc::new(file), room: FIRST_ROOM, batch: Vec::new() };
        let command = env!("CARGO_PKG_VERSION");
        if let Some(sentence) = doctor::mismatch(std::path::Path::new("/"), command) {
            return Err(Error::new(INIT, sentence).hint(doctor::RELOAD));
        }
        let conf = device.conf().map_err(|r| r.doing(INIT))?;
        if conf.abi_version != ABI_VERSION {
            return Err(Error::new(
                INIT,
                format!(
                    "the loaded dtrace module speaks interface version {}, this command {ABI_VERSION}",
                    conf.abi_version
                ),
            )
            .hint("they come from different builds: load the module of this command's build"));
        }
        Ok(device)
    }

    /// Asks the module why the last ioctl failed; without an answer the errno is the reason.
    fn refusal(&self, e: std::io::Error) -> Refusal {
        let errno = e.raw_os_error().unwrap_or(0);
        let mut text = vec![0; 4096];
        let mut arg = Report::default();
        let asked = sys::ioctl_with(self.file.as_fd(), ioctl::REPORT, &mut arg, &mut text);
        let reason = match asked {
            Ok(()) if arg.size > 0 => {
                text.truncate(arg.size as usize);
                String::from_utf8_lossy(&text).trim_end_matches(['\0', '\n']).to_string()
            }
            _ => reason(&e),
        };
        Refusal { errno, reason }
    }

    fn call<T: Plain>(&self, request: u32, arg: &mut T) -> Answer<()> {
        sys::ioctl(self.file.as_fd(), request, arg).map_err(|e| self.refusal(e))
    }

    fn call_with<T: Window>(&self, request: u32, arg: &mut T, data: &mut [u8]) -> Answer<()> {
        sys::ioctl_with(self.file.as_fd(), request, arg, data).map_err(|e| self.refusal(e))
    }

    /// Becomes the consumer of the anonymous enabling made when the module loaded; returns that
    /// enabling.
    pub fn claim(&mut self) -> Answer<Vec<u8>> {
        let mut arg = Report::default();
        self.call_with(ioctl::CLAIM, &mut arg, &mut [])?;
        let mut file = vec![0; arg.size as usize];
        self.call_with(ioctl::CLAIM, &mut arg, &mut file)?;
        Ok(file)
    }

    /// Calls `f` with the next batch of probes that match, until `f` returns false. Returns false
    /// if `f` did, or if there are no more probes.
    fn batch(
        &mut self,
        pattern: &ProbeDesc,
        cursor: &mut u32,
        f: &mut dyn FnMut(&ProbeView<'_>) -> bool,
    ) -> Answer<bool> {
        let mut arg = Probes { pattern: *pattern, cursor: *cursor, ..Probes::new_zeroed() };
        let mut batch = std::mem::take(&mut self.batch);
        batch.resize(ioctl::MAX_PROBES_SIZE as usize, 0);
        let called = self.call_with(ioctl::PROBES, &mut arg, &mut batch);
        *cursor = arg.cursor;
        let mut packed = batch.get(..arg.size as usize).unwrap_or_default();
        let mut more = called.is_ok() && arg.count > 0;
        while let Some(probe) = ProbeView::unpack(&mut packed).filter(|_| more) {
            more = f(&probe);
        }
        self.batch = batch;
        called.map(|()| more)
    }

    /// Fetches a description with its records. If the first call had too little room, it tells how
    /// much is needed.
    fn describe<T: Window>(
        &self,
        request: u32,
        mut arg: T,
        nrecs: fn(&T) -> u32,
    ) -> Answer<(T, Vec<RecDesc>)> {
        let mut recs: Vec<RecDesc> = vec![RecDesc::default(); 16];
        loop {
            self.call_with(request, &mut arg, recs.as_mut_slice().as_mut_bytes())?;
            let n = nrecs(&arg) as usize;
            if n <= recs.len() {
                recs.truncate(n);
                return Ok((arg, recs));
            }
            recs.resize(n, RecDesc::default());
        }
    }
}

impl Kernel for Device {
    fn conf(&mut self) -> Answer<Conf> {
        let mut conf = Conf::default();
        self.call(ioctl::CONF, &mut conf)?;
        Ok(conf)
    }

    fn probes(
        &mut self,
        pattern: &ProbeDesc,
        cursor: &mut u32,
        into: &mut Vec<ProbeDesc>,
    ) -> Answer<bool> {
        self.batch(pattern, cursor, &mut |p| {
            into.push(p.describe());
            true
        })
    }

    fn each_probe(
        &mut self,
        pattern: &ProbeDesc,
        f: &mut dyn FnMut(&ProbeView<'_>) -> bool,
    ) -> Answer<()> {
        let (mut cursor, mut goes_on) = (0, true);
        let mut each = |p: &ProbeView<'_>| {
            goes_on = f(p);
            goes_on
        };
        while self.batch(pattern, &mut cursor, &mut each)? {}
        Ok(())
    }

    fn count(&mut self, pattern: &ProbeDesc) -> Answer<Count> {
        let mut arg = Probes { pattern: *pattern, ..Probes::new_zeroed() };
        self.call_with(ioctl::PROBES, &mut arg, &mut [])?;
        Ok(Count { probes: arg.count, nargs: arg.nargs })
    }

    fn explain(&mut self, pattern: &ProbeDesc) -> Answer<Option<(Reason, String)>> {
        let mut arg = Explain { pattern: *pattern, ..Explain::new_zeroed() };
        match self.call(ioctl::EXPLAIN, &mut arg) {
            Ok(()) => {}
            Err(r) if r.errno == libc::ENOENT => return Ok(None),
            Err(r) => return Err(r),
        }
        let symbol = String::from_utf8_lossy(until_nul(&arg.symbol)).into_owned();
        Ok(Reason::from_number(arg.reason).map(|reason| (reason, symbol)))
    }

    fn symbol(&mut self, name: &str) -> Answer<Option<u64>> {
        let mut arg = Symbol::new_zeroed();
        let Some(room) = arg.name.get_mut(..name.len()).filter(|r| r.len() < ioctl::SYMBOL_LEN)
        else {
            return Ok(None);
        };
        room.copy_from_slice(name.as_bytes());
        match self.call(ioctl::SYMBOL, &mut arg) {
            Ok(()) => Ok(Some(arg.address)),
            Err(r) if r.errno == libc::ENOENT => Ok(None),
            Err(r) => Err(r),
        }
    }

    fn bell(&mut self) -> Answer<Option<File>> {
        let bell = sys::eventfd()
            .map_err(|e| Refusal { errno: e.raw_os_error().unwrap_or(0), reason: reason(&e) })?;
        self.call(ioctl::WAKE, &mut bell.as_raw_fd())?;
        Ok(Some(bell))
    }

    fn pulse(&mut self) -> Option<Box<dyn Fn()>> {
        // The tracing ends when the device is closed, so nothing else keeps it open.
        let file = Arc::downgrade(&self.file);
        Some(Box::new(move || {
            if let Some(file) = file.upgrade() {
                // Any call will do. This one has no effects.
                let _ = sys::ioctl(file.as_fd(), ioctl::CONF, &mut Conf::new_zeroed());
            }
        }))
    }

    fn object(&mut self, key: Key, mut rows: Vec<Row>) -> Answer<()> {
        let mut arg = Object { key, ..Object::default() };
        self.call_with(unwind::OBJECT, &mut arg, rows.as_mut_slice().as_mut_bytes())
    }

    fn forget(&mut self, mut key: Key) -> Answer<()> {
        self.call(unwind::FORGET, &mut key)
    }

    fn strangers(&mut self) -> Answer<Vec<u32>> {
        let mut arg = Strangers::new_zeroed();
        self.call(unwind::STRANGERS, &mut arg)?;
        Ok(arg.pids.into_iter().filter(|pid| *pid != 0).collect())
    }

    fn done(&mut self, until: u64) -> Answer<Vec<Epid>> {
        let mut arg = Done { until, ..Done::default() };
        let mut epids = vec![Epid::NONE; ioctl::MAX_DONE];
        self.call_with(ioctl::DONE, &mut arg, epids.as_mut_slice().as_mut_bytes())?;
        epids.truncate(arg.count as usize);
        Ok(epids)
    }

    fn left_out(&mut self) -> Answer<String> {
        let (mut arg, mut text) = (Report::default(), vec![0; 64 << 10]);
        self.call_with(ioctl::LEFTOUT, &mut arg, &mut text)?;
        text.truncate(arg.size as usize);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn enable(&mut self, dof: &[u8]) -> Answer<u32> {
        let (mut arg, mut dof) = (Enable::default(), dof.to_vec());
        self.call_with(ioctl::ENABLE, &mut arg, &mut dof)?;
        Ok(arg.matched)
    }

    fn go(&mut self) -> Answer<Started> {
        let mut arg = Go::default();
        self.call(ioctl::GO, &mut arg)?;
        let room = usize::try_from(arg.bufsize.max(arg.aggsize)).unwrap_or(usize::MAX);
        self.room = room.clamp(FIRST_ROOM, MOST_ROOM);
        let sizes = [
            (OptionId::Bufsize, arg.bufsize),
            (OptionId::Aggsize, arg.aggsize),
            (OptionId::Dynvarsize, arg.dynvarsize),
            (OptionId::Specsize, arg.specsize),
        ];
        Ok(Started { cpu: arg.cpu, probes: arg.probes, left_out: arg.left_out, sizes })
    }

    fn stop(&mut self) -> Answer<u32> {
        let mut arg = Go::default();
        self.call(ioctl::STOP, &mut arg)?;
        Ok(arg.cpu)
    }

    fn snap(&mut self, which: Buffer, cpu: u32, room: &mut Room) -> Answer<Option<Snapshot>> {
        let request = match which {
            Buffer::Principal => ioctl::BUFSNAP,
            Buffer::Aggregation => ioctl::AGGSNAP,
        };
        let mut patience = 100;
        loop {
            let mut arg = BufDesc { cpu, ..BufDesc::default() };
            match self.call_with(request, &mut arg, room.reserve(self.room)) {
                Ok(()) => {
                    room.set_taken(usize::try_from(arg.size).unwrap_or(usize::MAX));
                    return Ok(Some(Snapshot {
                        drops: arg.drops,
                        errors: arg.errors,
                        oldest: arg.oldest,
                        timestamp: arg.timestamp,
                    }));
                }
                Err(r) if r.errno == libc::ENOENT => return Ok(None),
                // The kernel keeps a buffer larger than our room until we provide more.
                Err(r) if r.errno == libc::ENOSPC && self.room < MOST_ROOM => {
                    self.room = self.room.saturating_mul(2);
                }
                // The CPU was processing a probe when asked; that ends soon.
                Err(r) if r.errno == libc::EBUSY && patience > 0 => {
                    patience -= 1;
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                Err(r) => return Err(r),
            }
        }
    }

    fn eprobe(&mut self, epid: Epid) -> Answer<Eprobe> {
        let arg = EprobeDesc { epid, ..EprobeDesc::default() };
        let (desc, recs) = self.describe(ioctl::EPROBE, arg, |d| d.nrecs)?;
        Ok(Eprobe { desc, recs })
    }

    fn aggregation(&mut self, id: AggId) -> Answer<Aggregation> {
        let arg = AggDesc { id, ..AggDesc::default() };
        let (desc, recs) = self.describe(ioctl::AGGDESC, arg, |d| d.nrecs)?;
        Ok(Aggregation { desc, recs })
    }

    fn format(&mut self, id: FormatId) -> Answer<Vec<u8>> {
        let mut text = vec![0; 256];
        loop {
            let mut arg = Format { id, ..Format::default() };
            self.call_with(ioctl::FORMAT, &mut arg, &mut text)?;
            let need = arg.size as usize;
            if need <= text.len() {
                text.truncate(need.saturating_sub(1));
                return Ok(text);
            }
            text.resize(need, 0);
        }
    }

    fn make(&mut self, pid: u32, packed: &[u8]) -> Answer<Made> {
        let mut arg = Make { pid, ..Make::default() };
        let mut refusals = vec![user::Refusal::default(); MOST_REFUSALS];
        sys::ioctl_make(self.file.as_fd(), &mut arg, packed, &mut refusals)
            .map_err(|e| self.refusal(e))?;
        refusals.truncate(arg.refused as usize);
        Ok(Made { refusals, refused: arg.refused })
    }

    fn follow(&mut self, mut pid: u32) -> Answer<()> {
        self.call(user::FOLLOW, &mut pid)
    }

    fn ignore(&mut self, mut key: Key) -> Answer<()> {
        self.call(user::IGNORE, &mut key)
    }

    fn begun(&mut self) -> Answer<Vec<u32>> {
        let mut arg = Strangers::new_zeroed();
        self.call(user::BEGUN, &mut arg)?;
        Ok(arg.pids.into_iter().filter(|pid| *pid != 0).collect())
    }

    fn seen(&mut self, mapped: u32) -> Answer<u32> {
        let mut arg = user::Seen { mapped, ..user::Seen::default() };
        self.call(user::SEEN, &mut arg)?;
        Ok(arg.late)
    }

    fn status(&mut self) -> Answer<Status> {
        let mut status = Status::default();
        self.call(ioctl::STATUS, &mut status)?;
        Ok(status)
    }
}
