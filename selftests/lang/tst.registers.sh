# SPDX-License-Identifier: GPL-2.0
# ASSERTION: uregs[] are the process's registers, and a fault where there is no process; cwd and root are where it is.
. /src/selftests/lib/sh
cat >/tmp/regs.c <<'C'
#include <stdio.h>
int main(void)
{
	unsigned long rip, rsp;
	asm volatile("mov %%rsp, %1; push %%rbp; lea 1f(%%rip), %0; mov $0x1111, %%rbx; mov $0x2222, %%rbp; mov $0x3333, %%r12; mov $0x4444, %%rdi;"
		"mov $0x5555, %%r9; mov $110, %%eax; syscall; 1: pop %%rbp" : "=&r"(rip), "=&r"(rsp)
		: : "rax", "rbx", "rcx", "rdi", "r9", "r11", "r12", "memory");
	printf("%lx %lx 1111 2222 3333 4444 5555 33 6e\n", rip, rsp - 8);
}
C
gcc -O1 -o /tmp/regs /tmp/regs.c || fail compile
dtrace -qn 'syscall::getppid:entry /pid == $target && execname == "regs"/
	{ printf("%x %x %x %x %x %x %x %x %x\n", uregs[R_RIP], uregs[R_SP], uregs[R_RBX], uregs[R_FP], uregs[R_R12], uregs[R_RDI], uregs[R_R9], uregs[R_CS], uregs[R_ERR]); }
	BEGIN { none = 21; trace(uregs[none]); } ERROR { printf("fault %d %d\n", arg4, arg5); }
	tick-10ms /pid == 0 && !done++/ { trace(uregs[R_RIP]); }
	' -o /tmp/out -c 'sh -c "until grep -q ^fault.1 /tmp/out; do sleep 0.1; done; exec /tmp/regs"' >/tmp/said 2>/tmp/err
cat /tmp/out /tmp/said /tmp/err
expect registers "$(grep ' 33 6e$' /tmp/out)" "$(cat /tmp/said)"
expect "no such register" "$(sed -n 's/^fault 3 //p' /tmp/out)" 0
expect "no process" "$(sed -n 's/^fault 1 //p' /tmp/out)" 0
mkdir -p /tmp/some/where/deep /tmp/jail/in
cat >/tmp/walk.py <<'P'
import os
for d in "/", "/usr/lib", "/proc/sys/kernel", "/tmp/some/where/deep", "/dev", "/sys/kernel":
    os.chdir(d); os.getppid(); print("/", os.getcwd(), flush=True)
os.chroot("/tmp/jail"); os.chdir("/in"); os.getppid(); print("/tmp/jail /in", flush=True)
P
dtrace -qn 'syscall::getppid:entry /pid == $target/ { printf("%s %s\n", root, cwd); }
	syscall::getppid:entry /pid == $target && basename(cwd) == "deep"/ { deep++; } END { printf("deep %d\n", deep); }' \
	-o /tmp/dirs -c 'python3 /tmp/walk.py' >/tmp/said
echo "deep 1" >>/tmp/said
expect "directories" "$(grep . /tmp/dirs)" "$(cat /tmp/said)"
