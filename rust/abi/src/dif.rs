// SPDX-License-Identifier: GPL-2.0
//! The DIF vocabulary: a row for each opcode, builtin variable and subroutine.
//!
//! The numbers are the classic ones (Solaris, illumos, FreeBSD), so the output of `dtrace -S`
//! matches existing manuals. Our own variables and subroutines begin at 0x0400, outside of the
//! numbers that other systems use, so that foreign DOF is never misread.

/// Integer registers; `%r0` reads 0.
pub const NREGS: usize = 8;
/// Depth of the tuple stack.
pub const NTUPLE: usize = 8;
/// The DIF version of all systems since Solaris 10 FCS.
pub const DIF_VERSION: u8 = 2;
/// First id of a variable that the D program declares.
pub const VAR_USER_BASE: u16 = 0x0500;
/// First id of our own builtin variables.
pub const VAR_LINUX_BASE: u16 = 0x0400;
/// First array id that a D program may declare; the ids below are builtin arrays.
pub const VAR_ARRAY_USER_BASE: u16 = 0x0080;
/// First id that is a scalar.
pub const VAR_SCALAR_BASE: u16 = 0x0100;
/// Most instructions of one object.
pub const MAX_TEXT: usize = 1 << 16;
/// Most entries of an integer table.
pub const MAX_INTTAB: usize = 0xffff;
/// Most bytes of a string table.
pub const MAX_STRTAB: usize = 0x1_0000;

/// The layout of the 24 bits after the opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `r1, r2, rd`.
    Log3,
    /// `r1, 0, rd`: not, mov, allocs.
    R1Rd,
    /// `[r1], 0, rd`: loads.
    Load,
    /// `r1, 0, [rd]`: stores.
    Store,
    /// `r1, r2, 0`.
    Cmp,
    /// `r1, 0, 0`.
    Tst,
    /// 24-bit absolute instruction index.
    Branch,
    /// 16-bit index, `rd`: setx.
    SetInt,
    /// 16-bit offset, `rd`: sets.
    SetStr,
    /// 16-bit subroutine, `rd`.
    Call,
    /// 16-bit translator reference, `rd`: xlate, xlarg.
    Xlate,
    /// 16-bit variable, `rd` receives.
    LoadVar,
    /// 16-bit variable, `rs` is stored.
    StoreVar,
    /// 8-bit array variable, index register, `rd`.
    LoadArray,
    /// 8-bit array variable, index register, `rs`.
    StoreArray,
    /// type, size register, value register.
    Push,
    /// nothing.
    None,
    /// `0, 0, rd`.
    Ret,
}

/// Calls a macro with every opcode: `(number, Variant, "mnemonic", Format)`.
#[macro_export]
macro_rules! for_each_op {
    ($m:ident) => {
        $m! {
            (1, Or, "or", Log3), (2, Xor, "xor", Log3), (3, And, "and", Log3),
            (4, Sll, "sll", Log3), (5, Srl, "srl", Log3), (6, Sub, "sub", Log3),
            (7, Add, "add", Log3), (8, Mul, "mul", Log3), (9, Sdiv, "sdiv", Log3),
            (10, Udiv, "udiv", Log3), (11, Srem, "srem", Log3), (12, Urem, "urem", Log3),
            (13, Not, "not", R1Rd), (14, Mov, "mov", R1Rd), (15, Cmp, "cmp", Cmp),
            (16, Tst, "tst", Tst), (17, Ba, "ba", Branch), (18, Be, "be", Branch),
            (19, Bne, "bne", Branch), (20, Bg, "bg", Branch), (21, Bgu, "bgu", Branch),
            (22, Bge, "bge", Branch), (23, Bgeu, "bgeu", Branch), (24, Bl, "bl", Branch),
            (25, Blu, "blu", Branch), (26, Ble, "ble", Branch), (27, Bleu, "bleu", Branch),
            (28, Ldsb, "ldsb", Load), (29, Ldsh, "ldsh", Load), (30, Ldsw, "ldsw", Load),
            (31, Ldub, "ldub", Load), (32, Lduh, "lduh", Load), (33, Lduw, "lduw", Load),
            (34, Ldx, "ldx", Load), (35, Ret, "ret", Ret), (36, Nop, "nop", None),
            (37, Setx, "setx", SetInt), (38, Sets, "sets", SetStr), (39, Scmp, "scmp", Cmp),
            (40, Ldga, "ldga", LoadArray), (41, Ldgs, "ldgs", LoadVar), (42, Stgs, "stgs", StoreVar),
            (43, Ldta, "ldta", LoadArray), (44, Ldts, "ldts", LoadVar), (45, Stts, "stts", StoreVar),
            (46, Sra, "sra", Log3), (47, Call, "call", Call), (48, Pushtr, "pushtr", Push),
            (49, Pushtv, "pushtv", Push), (50, Popts, "popts", None), (51, Flushts, "flushts", None),
            (52, Ldgaa, "ldgaa", LoadVar), (53, Ldtaa, "ldtaa", LoadVar),
            (54, Stgaa, "stgaa", StoreVar), (55, Sttaa, "sttaa", StoreVar),
            (56, Ldls, "ldls", LoadVar), (57, Stls, "stls", StoreVar),
            (58, Allocs, "allocs", R1Rd), (59, Copys, "copys", Log3),
            (60, Stb, "stb", Store), (61, Sth, "sth", Store), (62, Stw, "stw", Store),
            (63, Stx, "stx", Store), (64, Uldsb, "uldsb", Load), (65, Uldsh, "uldsh", Load),
            (66, Uldsw, "uldsw", Load), (67, Uldub, "uldub", Load), (68, Ulduh, "ulduh", Load),
            (69, Ulduw, "ulduw", Load), (70, Uldx, "uldx", Load), (71, Rldsb, "rldsb", Load),
            (72, Rldsh, "rldsh", Load), (73, Rldsw, "rldsw", Load), (74, Rldub, "rldub", Load),
            (75, Rlduh, "rlduh", Load), (76, Rlduw, "rlduw", Load), (77, Rldx, "rldx", Load),
            (78, Xlate, "xlate", Xlate), (79, Xlarg, "xlarg", Xlate),
            (80, Stga, "stga", StoreArray),
        }
    };
}

macro_rules! define_ops {
    ($(($num:literal, $variant:ident, $name:literal, $format:ident)),* $(,)?) => {
        /// An opcode; the number is bits 31..24 of the instruction word.
        #[allow(missing_docs, reason = "the mnemonic is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op { $($variant = $num),* }
        impl Op {
            /// All opcodes, in the order of their numbers.
            pub const ALL: &[Op] = &[$(Op::$variant),*];
            /// Returns the opcode with this number. Inlined, because the interpreter calls it for
            /// each instruction.
            #[inline]
            pub const fn from_number(n: u8) -> Option<Op> {
                match n { $($num => Some(Op::$variant),)* _ => None }
            }
            /// Returns the mnemonic that `dtrace -S` prints.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name),* }
            }
            /// Returns the layout of its operands.
            pub const fn format(self) -> Format {
                match self { $(Op::$variant => Format::$format),* }
            }
        }
    };
}
for_each_op!(define_ops);

/// The kind of a builtin variable's value, which decides its D type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VarKind {
    /// A scalar of up to 8 bytes.
    Scalar,
    /// A string.
    String,
    /// An array, indexed by `ldga`.
    Array,
}

/// Calls a macro with every builtin variable: `(id, Variant, "name", VarKind, "D type")`.
#[macro_export]
macro_rules! for_each_builtin {
    ($m:ident) => {
        $m! {
            (0x0000, Args, "args", Array, "int64_t"),
            (0x0001, Regs, "regs", Array, "uint64_t"),
            (0x0002, Uregs, "uregs", Array, "uint64_t"),
            (0x0003, Vmregs, "vmregs", Array, "uint64_t"),
            (0x0100, Curthread, "curthread", Scalar, "void *"),
            (0x0101, Timestamp, "timestamp", Scalar, "uint64_t"),
            (0x0102, Vtimestamp, "vtimestamp", Scalar, "uint64_t"),
            (0x0103, Ipl, "ipl", Scalar, "uint_t"),
            (0x0104, Epid, "epid", Scalar, "uint_t"),
            (0x0105, Id, "id", Scalar, "uint_t"),
            (0x0106, Arg0, "arg0", Scalar, "int64_t"),
            (0x0107, Arg1, "arg1", Scalar, "int64_t"),
            (0x0108, Arg2, "arg2", Scalar, "int64_t"),
            (0x0109, Arg3, "arg3", Scalar, "int64_t"),
            (0x010a, Arg4, "arg4", Scalar, "int64_t"),
            (0x010b, Arg5, "arg5", Scalar, "int64_t"),
            (0x010c, Arg6, "arg6", Scalar, "int64_t"),
            (0x010d, Arg7, "arg7", Scalar, "int64_t"),
            (0x010e, Arg8, "arg8", Scalar, "int64_t"),
            (0x010f, Arg9, "arg9", Scalar, "int64_t"),
            (0x0110, Stackdepth, "stackdepth", Scalar, "uint32_t"),
            (0x0111, Caller, "caller", Scalar, "uintptr_t"),
            (0x0112, Probeprov, "probeprov", String, "string"),
            (0x0113, Probemod, "probemod", String, "string"),
            (0x0114, Probefunc, "probefunc", String, "string"),
            (0x0115, Probename, "probename", String, "string"),
            (0x0116, Pid, "pid", Scalar, "pid_t"),
            (0x0117, Tid, "tid", Scalar, "id_t"),
            (0x0118, Execname, "execname", String, "string"),
            (0x0119, Zonename, "zonename", String, "string"),
            (0x011a, Walltimestamp, "walltimestamp", Scalar, "int64_t"),
            (0x011b, Ustackdepth, "ustackdepth", Scalar, "uint32_t"),
            (0x011c, Ucaller, "ucaller", Scalar, "uintptr_t"),
            (0x011d, Ppid, "ppid", Scalar, "pid_t"),
            (0x011e, Uid, "uid", Scalar, "uid_t"),
            (0x011f, Gid, "gid", Scalar, "gid_t"),
            (0x0120, Errno, "errno", Scalar, "int"),
            (0x0400, Cpu, "cpu", Scalar, "processorid_t"),
            (0x0401, Threadname, "threadname", String, "string"),
            (0x0402, Execargs, "execargs", String, "string"),
            (0x0403, Euid, "euid", Scalar, "uid_t"),
            (0x0404, Egid, "egid", Scalar, "gid_t"),
            (0x0405, Nspid, "nspid", Scalar, "pid_t"),
            (0x0406, Nstid, "nstid", Scalar, "id_t"),
            (0x0407, Curcgroup, "curcgroup", Scalar, "uint64_t"),
            (0x0408, Cwd, "cwd", String, "string"),
            (0x0409, Root, "root", String, "string"),
        }
    };
}

macro_rules! define_builtins {
    ($(($id:literal, $variant:ident, $name:literal, $kind:ident, $ty:literal)),* $(,)?) => {
        /// A variable whose value the kernel provides; its number is its DIF variable id.
        #[allow(missing_docs, reason = "the D name is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Builtin { $($variant = $id),* }
        impl Builtin {
            /// All builtin variables, in the order of their ids.
            pub const ALL: &[Builtin] = &[$(Builtin::$variant),*];
            /// Returns the builtin variable with this id.
            pub const fn from_id(id: u16) -> Option<Builtin> {
                match id { $($id => Some(Builtin::$variant),)* _ => None }
            }
            /// Returns its D name.
            pub const fn name(self) -> &'static str {
                match self { $(Builtin::$variant => $name),* }
            }
            /// Tells whether it is available on Linux. `vmregs[]` is not: the registers of a
            /// virtual machine belong to its hypervisor. It only has its number, as in every
            /// DTrace.
            pub const fn is_had(self) -> bool {
                !matches!(self, Builtin::Vmregs)
            }
            /// Returns its kind.
            pub const fn kind(self) -> VarKind {
                match self { $(Builtin::$variant => VarKind::$kind),* }
            }
            /// Returns the name of its D type.
            pub const fn type_name(self) -> &'static str {
                match self { $(Builtin::$variant => $ty),* }
            }
            /// Returns its DIF variable id.
            pub const fn id(self) -> u16 {
                self as u16
            }
        }
    };
}
for_each_builtin!(define_builtins);

/// The indices of `uregs[]` and `regs[]`: Linux's order of the registers, with the names of DTrace.
pub const REGISTERS: &[(&str, u64)] = &[
    ("R_R15", 0),
    ("R_R14", 1),
    ("R_R13", 2),
    ("R_R12", 3),
    ("R_RBP", 4),
    ("R_RBX", 5),
    ("R_R11", 6),
    ("R_R10", 7),
    ("R_R9", 8),
    ("R_R8", 9),
    ("R_RAX", 10),
    ("R_RCX", 11),
    ("R_RDX", 12),
    ("R_RSI", 13),
    ("R_RDI", 14),
    ("R_ERR", 15),
    ("R_RIP", 16),
    ("R_CS", 17),
    ("R_RFL", 18),
    ("R_RSP", 19),
    ("R_SS", 20),
    // Names for 32-bit processes.
    ("R_EBP", 4),
    ("R_EBX", 5),
    ("R_EAX", 10),
    ("R_ECX", 11),
    ("R_EDX", 12),
    ("R_ESI", 13),
    ("R_EDI", 14),
    ("R_EIP", 16),
    ("R_EFL", 18),
    ("R_ESP", 19),
    ("R_UESP", 19),
    // Names for any processor.
    ("R_FP", 4),
    ("R_R0", 10),
    ("R_R1", 12),
    ("R_PC", 16),
    ("R_PS", 18),
    ("R_SP", 19),
];

/// Calls a macro with every subroutine: `(id, Variant, "name", "D prototype")`; `[x]` is optional.
#[macro_export]
macro_rules! for_each_subr {
    ($m:ident) => {
        $m! {
            (0, Rand, "rand", "int()"),
            (1, MutexOwned, "mutex_owned", "int(void *)"),
            (2, MutexOwner, "mutex_owner", "void *(void *)"),
            (3, MutexTypeAdaptive, "mutex_type_adaptive", "int(void *)"),
            (4, MutexTypeSpin, "mutex_type_spin", "int(void *)"),
            (5, RwReadHeld, "rw_read_held", "int(void *)"),
            (6, RwWriteHeld, "rw_write_held", "int(void *)"),
            (7, RwIswriter, "rw_iswriter", "int(void *)"),
            (8, Copyin, "copyin", "void *(uintptr_t, size_t)"),
            (9, Copyinstr, "copyinstr", "string(uintptr_t, [size_t])"),
            (10, Speculation, "speculation", "int()"),
            (11, Progenyof, "progenyof", "int(pid_t)"),
            (12, Strlen, "strlen", "size_t(const char *)"),
            (13, Copyout, "copyout", "void(void *, uintptr_t, size_t)"),
            (14, Copyoutstr, "copyoutstr", "void(char *, uintptr_t, size_t)"),
            (15, Alloca, "alloca", "void *(size_t)"),
            (16, Bcopy, "bcopy", "void(void *, void *, size_t)"),
            (17, Copyinto, "copyinto", "void(uintptr_t, size_t, void *)"),
            (18, Msgdsize, "msgdsize", "size_t(void *)"),
            (19, Msgsize, "msgsize", "size_t(void *)"),
            (20, Getmajor, "getmajor", "uint_t(uint64_t)"),
            (21, Getminor, "getminor", "uint_t(uint64_t)"),
            (22, DdiPathname, "ddi_pathname", "string(void *, int64_t)"),
            (23, Strjoin, "strjoin", "string(const char *, const char *)"),
            (24, Lltostr, "lltostr", "string(int64_t, [int])"),
            (25, Basename, "basename", "string(const char *)"),
            (26, Dirname, "dirname", "string(const char *)"),
            (27, Cleanpath, "cleanpath", "string(const char *)"),
            (28, Strchr, "strchr", "string(const char *, char)"),
            (29, Strrchr, "strrchr", "string(const char *, char)"),
            (30, Strstr, "strstr", "string(const char *, const char *)"),
            (31, Strtok, "strtok", "string(const char *, const char *)"),
            (32, Substr, "substr", "string(const char *, int, [int])"),
            (33, Index, "index", "int(const char *, const char *, [int])"),
            (34, Rindex, "rindex", "int(const char *, const char *, [int])"),
            (35, Htons, "htons", "uint16_t(uint16_t)"),
            (36, Htonl, "htonl", "uint32_t(uint32_t)"),
            (37, Htonll, "htonll", "uint64_t(uint64_t)"),
            (38, Ntohs, "ntohs", "uint16_t(uint16_t)"),
            (39, Ntohl, "ntohl", "uint32_t(uint32_t)"),
            (40, Ntohll, "ntohll", "uint64_t(uint64_t)"),
            (41, InetNtop, "inet_ntop", "string(int, void *)"),
            (42, InetNtoa, "inet_ntoa", "string(void *)"),
            (43, InetNtoa6, "inet_ntoa6", "string(void *)"),
            (44, Toupper, "toupper", "string(const char *)"),
            (45, Tolower, "tolower", "string(const char *)"),
            (46, Getf, "getf", "void *(int)"),
            (47, Json, "json", "string(const char *, const char *)"),
            (48, Strtoll, "strtoll", "int64_t(const char *, [int])"),
            // Our own subroutines, with numbers that no other DTrace uses.
            (1024, DPath, "d_path", "string(void *)"),
            (1025, MntPath, "mnt_path", "string(void *)"),
            // Subroutines of other systems. Their numbers there mean something else on each system.
            (1026, LinkNtop, "link_ntop", "string(int, void *)"),
            (1027, Memstr, "memstr", "string(void *, char, size_t)"),
        }
    };
}

macro_rules! define_subrs {
    ($(($id:literal, $variant:ident, $name:literal, $proto:literal)),* $(,)?) => {
        /// A subroutine that `call` can name.
        #[allow(missing_docs, reason = "the D name is the documentation")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum Subr { $($variant = $id),* }
        impl Subr {
            /// All subroutines, in the order of their ids.
            pub const ALL: &[Subr] = &[$(Subr::$variant),*];
            /// Returns the subroutine with this id.
            pub const fn from_id(id: u16) -> Option<Subr> {
                match id { $($id => Some(Subr::$variant),)* _ => None }
            }
            /// Returns its D name.
            pub const fn name(self) -> &'static str {
                match self { $(Subr::$variant => $name),* }
            }
            /// Returns its prototype, `result(argument, [optional])`.
            pub const fn prototype(self) -> &'static str {
                match self { $(Subr::$variant => $proto),* }
            }
        }
    };
}
for_each_subr!(define_subrs);

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn tables_are_dense_and_in_order() {
        for (i, op) in Op::ALL.iter().enumerate() {
            assert_eq!(*op as usize, i + 1);
            assert_eq!(Op::from_number(*op as u8), Some(*op));
        }
        assert_eq!(Op::ALL.len(), 80);
        assert_eq!(Subr::ALL.len(), 53);
        for w in Builtin::ALL.windows(2) {
            assert!(w[0].id() < w[1].id());
        }
        assert!(Builtin::ALL.iter().all(|b| b.id() < VAR_USER_BASE));
    }
}
