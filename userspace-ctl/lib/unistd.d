// SPDX-License-Identifier: GPL-2.0
/* Constants that system calls are passed, as the headers of C have them on x86-64. */

inline int O_RDONLY = 0;
inline int O_WRONLY = 01;
inline int O_RDWR = 02;
inline int O_ACCMODE = 03;
inline int O_CREAT = 0100;
inline int O_EXCL = 0200;
inline int O_NOCTTY = 0400;
inline int O_TRUNC = 01000;
inline int O_APPEND = 02000;
inline int O_NONBLOCK = 04000;
inline int O_NDELAY = 04000;
inline int O_DSYNC = 010000;
inline int O_DIRECT = 040000;
inline int O_LARGEFILE = 0100000;
inline int O_DIRECTORY = 0200000;
inline int O_NOFOLLOW = 0400000;
inline int O_NOATIME = 01000000;
inline int O_CLOEXEC = 02000000;
inline int O_SYNC = 04010000;
inline int O_RSYNC = 04010000;
inline int O_PATH = 010000000;
inline int O_TMPFILE = 020200000;

inline int F_OK = 0;
inline int X_OK = 1;
inline int W_OK = 2;
inline int R_OK = 4;

inline int F_DUPFD = 0;
inline int F_GETFD = 1;
inline int F_SETFD = 2;
inline int F_GETFL = 3;
inline int F_SETFL = 4;
inline int F_GETLK = 5;
inline int F_SETLK = 6;
inline int F_SETLKW = 7;
inline int F_SETOWN = 8;
inline int F_GETOWN = 9;
inline int F_SETSIG = 10;
inline int F_GETSIG = 11;
inline int F_DUPFD_CLOEXEC = 1030;

inline int STDIN_FILENO = 0;
inline int STDOUT_FILENO = 1;
inline int STDERR_FILENO = 2;
inline int AT_FDCWD = -100;

inline int SEEK_SET = 0;
inline int SEEK_CUR = 1;
inline int SEEK_END = 2;
inline int SEEK_DATA = 3;
inline int SEEK_HOLE = 4;

inline int PROT_NONE = 0;
inline int PROT_READ = 1;
inline int PROT_WRITE = 2;
inline int PROT_EXEC = 4;
inline int MAP_SHARED = 1;
inline int MAP_PRIVATE = 2;
inline int MAP_FIXED = 0x10;
inline int MAP_ANONYMOUS = 0x20;
inline int MAP_ANON = 0x20;

inline int S_IFMT = 0170000;
inline int S_IFSOCK = 0140000;
inline int S_IFLNK = 0120000;
inline int S_IFREG = 0100000;
inline int S_IFBLK = 060000;
inline int S_IFDIR = 040000;
inline int S_IFCHR = 020000;
inline int S_IFIFO = 010000;
inline int S_ISUID = 04000;
inline int S_ISGID = 02000;
inline int S_ISVTX = 01000;
