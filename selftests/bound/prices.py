# SPDX-License-Identifier: GPL-2.0
# What each thing that a clause may do costs, in instructions (the guest's clock counts them), against the units that the machine
# charges for it. Prints a line for each row: instructions, units, instructions for each unit.
import ctypes, mmap, re, subprocess, sys, threading, time

STRSIZE = int(sys.argv[1])
only = sys.argv[2] if len(sys.argv) > 2 else ''

# Strings as long as they may be, each made in a firing of its own: a firing has a limit.
WORST = {
    'g': 'a' * 16, 'slashes': 'a/' * 8, 'dots': '../' * 5 + '/', 'digits': '1' * 16, 'braces': '[' * 16, 'h': 'a' * 16,
}
doublings = (STRSIZE // 16 - 1).bit_length()
HEAD = f'''
#pragma D option quiet
#pragma D option destructive
#pragma D option strsize={STRSIZE}
#pragma D option dynvarsize=32m
string g, h, slashes, dots, digits, braces; int n; int64_t ll; string out; string a[string]; int b[string, string];
self string t; int c[int]; this string l; self string anew;
int big[string, string, string, string, string, string, string, string];
struct blob {{ char bytes[60000]; }}; struct blob gb; int k[struct blob]; this struct blob lb; self struct blob made, copied;
BEGIN {{ printf("ready\\n"); }}
'''
for at, (v, text) in enumerate(WORST.items()):
    HEAD += f'syscall::pread64:entry /arg3 == {1000 + at}/ {{ {v} = "{text}"; }}\n'
    HEAD += f'syscall::pread64:entry /arg3 == {2000 + at}/ {{ {v} = strjoin({v}, {v}); }}\n'
HEAD += f'syscall::pread64:entry /arg3 == 3000/ {{ self->t = g; a["x"] = g; }}\n'

# Name, how often, statement, what the kernel charges for besides.
STRING = STRSIZE // 32 + 1
TRACED = 7 * STRING
ELEMENT = 32
MADE = 2 * (60000 // 32)
KEY = 24 + 6 * STRING + STRSIZE // 8
ROWS = [
    ('nothing', 50, 'n = 1;'),
    ('arithmetic', 50, 'n = n * 3 + 7;'),
    ('division', 50, 'll = ll / 3 + 0x7fffffffffffffff;'),
    ('timestamp', 50, 'll = timestamp;'),
    ('walltimestamp', 50, 'll = walltimestamp;'),
    ('vtimestamp', 50, 'll = vtimestamp;'),
    ('execname', 50, 'n = execname == "x";'),
    ('execargs', 50, 'n = curpsinfo->pr_psargs == "x";'),
    ('cwd', 20, 'n = cwd == "x";', 1024),
    ('root', 20, 'n = root == "x";', 1024),
    ('stackdepth', 20, 'n = stackdepth;', 6336),
    ('ustackdepth', 20, 'n = ustackdepth;', 32960),
    ('caller', 20, 'll = caller;', 204),
    ('ucaller', 20, 'll = ucaller;', 320),
    ('uregs', 50, 'll = uregs[R_RIP];', 6),
    ('regs', 20, 'll = regs[R_RIP];', 204),
    ('cgroup', 50, 'll = curcgroup;'),
    ('ppid', 50, 'll = ppid;'),
    ('nspid', 50, 'll = nspid;'),
    ('load-kernel', 50, 'll = curthread->utime;'),
    ('thread-var', 50, 'self->n = 1;'),
    ('local-struct', 1, 'n = this->lb.bytes[7];'),
    ('made-struct', 1, 'self->made.bytes[7] = 1;', ELEMENT + MADE),
    ('copied-struct', 1, 'self->copied = gb;', 60000 // 32 * ELEMENT + MADE),
    ('anew-thread', 4, 'self->anew = g; self->anew = 0;'),
    ('anew-element', 4, 'a["y"] = g; a["y"] = 0;'),
    ('element-set', 50, 'c[n] = 1;'),
    ('element-get', 50, 'n = c[7];'),
    ('rand', 50, 'n = rand();'),
    ('progenyof', 50, 'n = progenyof(99999);', 4096),
    ('speculation', 2, 'n = speculation();', 8192),
    ('strlen-global', 4, 'n = strlen(g);'),
    ('strlen-thread', 4, 'n = strlen(self->t);'),
    ('strlen-element', 4, 'n = strlen(a["x"]);'),
    ('compare', 4, 'n = g == h;'),
    ('compare-thread', 4, 'n = g == self->t;'),
    ('strjoin', 4, 'n = strlen(strjoin(g, ""));'),
    ('strjoin-2', 4, 'n = strjoin("", g) == "x";'),
    ('strchr', 4, "n = strchr(g, 'b') == NULL;"),
    ('strrchr', 4, "n = strrchr(g, 'b') == NULL;"),
    ('strstr', 4, 'n = strstr(g, "ab") == NULL;'),
    ('strstr-long', 4, 'n = strstr(g, h) == NULL;'),
    ('index', 4, 'n = index(g, "ab");'),
    ('index-half', 4, 'n = index(g, slashes);'),
    ('rindex', 4, 'n = rindex(g, "ab");'),
    ('strtok', 4, 'n = strtok(g, "b") == NULL;'),
    ('strtok-all', 4, 'n = strtok(g, "a") == NULL;'),
    ('strtok-delims', 4, 'n = strtok(g, h) == NULL;'),
    ('substr', 4, 'n = substr(g, 1) == "x";'),
    ('toupper', 4, 'n = toupper(g) == "x";'),
    ('tolower', 4, 'n = tolower(g) == "x";'),
    ('basename', 4, 'n = basename(g) == "x";'),
    ('basename-slashes', 4, 'n = basename(slashes) == "x";'),
    ('dirname', 4, 'n = dirname(g) == "x";'),
    ('dirname-slashes', 4, 'n = dirname(slashes) == "x";'),
    ('cleanpath', 4, 'n = cleanpath(slashes) == "x";'),
    ('cleanpath-dots', 4, 'n = cleanpath(dots) == "x";'),
    ('strtoll', 4, 'll = strtoll(digits);'),
    ('lltostr', 20, 'n = lltostr(ll) == "x";'),
    ('lltostr-2', 20, 'n = lltostr(-1, 2) == "x";'),
    ('inet-ntoa6', 20, 'n = inet_ntoa6((struct in6_addr *)curthread) == "x";'),
    ('inet-ntoa', 20, 'n = inet_ntoa((uint32_t *)curthread) == "x";'),
    ('inet-ntop', 20, 'n = inet_ntop(10, (void *)curthread) == "x";'),
    ('link-ntop', 20, 'n = link_ntop(32, curthread) == "x";'),
    ('memstr', 4, f"n = strlen(memstr(gb.bytes, 'x', {min(STRSIZE, 60000)}));"),
    ('json', 4, 'n = json(braces, "[0]") == "x";'),
    ('json-string', 4, 'n = json(strjoin("{\\"a\\":1,\\"b\\":", braces), "b") == "x";'),
    ('d-path', 20, 'n = strlen(d_path(&curthread->fs->pwd));', 1024),
    ('mnt-path', 20, 'n = strlen(mnt_path(&curthread->fs->pwd));', 1024),
    ('byte-order', 20, 'll = htonll(ntohll(ll)) + htonl(ntohl(n)) + htons(ntohs(n));'),
    ('device', 50, 'n = getmajor(n) + getminor(n);'),
    ('file', 50, 'n = getf(0) == NULL;'),
    ('mutex', 20, 'n = mutex_owned(&`text_mutex) + mutex_type_adaptive(&`text_mutex) + mutex_type_spin(&`text_mutex);'),
    ('mutex-owner', 50, 'n = mutex_owner(&`text_mutex) == NULL;'),
    ('rwsem', 20, 'n = rw_read_held(&`init_mm.mmap_lock) + rw_write_held(&`init_mm.mmap_lock) + rw_iswriter(&`init_mm.mmap_lock);'),
    ('assign-global', 4, 'out = g;'),
    ('assign-local', 4, 'this->l = g;'),
    ('assign-thread', 4, 'self->t = g;'),
    ('assign-element', 4, 'a["x"] = g;'),
    ('assign-from-thread', 4, 'out = self->t;'),
    ('assign-from-local', 4, 'this->l = this->l;'),
    ('key-get', 4, 'n = b[g, h];'),
    ('key-set', 4, 'b[g, h] = 1;'),
    ('keys-get', 1, 'n = big[g, h, g, h, g, h, g, h];'),
    ('keys-set', 1, 'big[g, h, g, h, g, h, g, h] = 1;'),
    ('keys-thread', 4, 'n = b[self->t, self->t];'),
    ('bytes-get', 4, 'n = k[gb];'),
    ('bytes-set', 4, 'k[gb] = 1;'),
    ('alloca', 4, f'n = alloca({STRSIZE * 3}) == NULL;'),
    ('bcopy', 4, f'bcopy(gb.bytes, alloca(60000), 60000);'),
    ('copyin', 4, f'n = copyin(arg0, {STRSIZE}) == NULL;'),
    ('copyinstr', 4, f'n = strlen(copyinstr(arg0));'),
    ('copyinto', 4, f'copyinto(arg0, {STRSIZE}, alloca({STRSIZE}));'),
    ('copyout', 4, f'copyout(gb.bytes, arg0, {min(STRSIZE, 60000)});'),
    ('copyoutstr', 4, f'copyoutstr(g, arg0, {STRSIZE});'),
    ('trace-string', 1, 'trace(g);', TRACED),
    ('trace-thread', 1, 'trace(self->t);', TRACED),
    ('count-string', 4, '@s[g] = count();', KEY),
    ('count-thread', 4, '@s2[self->t] = count();', KEY),
    ('count-strings', 2, '@s3[g, h] = count();', 2 * KEY),
    ('lquantize', 10, '@l = lquantize(n, 0, 60000, 1);', 2),
    ('llquantize', 10, '@ll = llquantize(ll, 2, 0, 60, 2);', 98),
    ('stack', 1, 'stack(512);', 6336),
    ('ustack', 1, 'ustack(512);', 32960),
    ('stack-key', 1, '@st[stack(512)] = count();', 6336),
]
# Rows that each fire in a new thread, which has not set any variable.
IN_NEW_THREAD = 'made-struct', 'copied-struct'
rows = [r for r in ROWS if re.search(only, r[0])]
program = HEAD
for at, (_, many, statement, *_) in enumerate(rows):
    program += f'syscall::pread64:entry /arg3 == {at}/ {{ {statement * many} }}\n'
open('/tmp/prices.d', 'w').write(program)
listing = subprocess.run(['dtrace', '-S', '-v', '-e', '-s', '/tmp/prices.d'], capture_output=True, text=True)
if listing.returncode:
    sys.exit(listing.stderr[:2000])
# A clause begins with its predicate, which alone asks for arg3.
clauses = []
for object in (listing.stdout + listing.stderr).split('\nDIFO ')[1:]:
    if 'arg3' in object:
        clauses.append(0)
    elif clauses:
        clauses[-1] += int(re.search(r'at most (\d+) steps', object)[1])
clauses = clauses[-len(rows):]

# That of a run before would say that this one is ready.
open('/tmp/prices.out', 'w').close()
tracer = subprocess.Popen(['dtrace', '-x', 'bufsize=16m', '-x', 'aggsize=16m', '-x', 'nspec=65536', '-s', '/tmp/prices.d', '-o', '/tmp/prices.out'], stderr=open('/tmp/prices.err', 'w'))
while 'ready' not in open('/tmp/prices.out').read(100):
    if tracer.poll() is not None: sys.exit(open('/tmp/prices.err').read())
    time.sleep(0.1)
libc = ctypes.CDLL(None, use_errno=True)
room = mmap.mmap(-1, 2 << 20)
room.write(b'a' * (2 << 20))
where = ctypes.addressof(ctypes.c_char.from_buffer(room))
clock = time.clock_gettime_ns
def fire(at):
    t = clock(time.CLOCK_MONOTONIC)
    libc.syscall(ctypes.c_long(17), ctypes.c_long(where), ctypes.c_long(0), ctypes.c_long(0), ctypes.c_long(at))
    return clock(time.CLOCK_MONOTONIC) - t
def fire_in_new_thread(at):
    took = []
    def run():
        fire(len(rows))
        took.append(fire(at))
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return took[0]
for at in range(len(WORST)):
    fire(1000 + at)
    for _ in range(doublings):
        fire(2000 + at)
fire(3000)
base = min(fire(len(rows)) for _ in range(3))
dear = 0
for at, ((name, many, statement, *host), steps) in enumerate(zip(rows, clauses)):
    steps += (sum(host) + 2) * many + 16
    fire_it = fire_in_new_thread if name in IN_NEW_THREAD else fire
    # Interrupts may come, and make it seem dearer than it is.
    cost = min(fire_it(at) - base for _ in range(3))
    for _ in range(10):
        if cost > 64 * steps:
            cost = min(cost, fire_it(at) - base)
    dear += cost > 64 * steps
    print(f'{name:20} {cost // many:9} instructions, {steps // many:7} units: {cost / steps:6.1f}{" TOO MUCH" if cost > 64 * steps else ""}', flush=True)
tracer.send_signal(2)
tracer.wait()
print(open('/tmp/prices.err').read()[:3000])
sys.exit(f'{dear} operations cost more than 64 instructions for each unit' if dear else 0)
