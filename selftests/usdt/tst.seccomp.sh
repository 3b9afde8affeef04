# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a program that has forbidden itself to open files and devices ends as it would without probes: the program, one that
# is linked to a library with probes, one that has opened such a library. What is unloaded while the program goes on is told of.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/usdt/lib
cat >locked.c <<'C'
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef PROBES
#include "toy.h"
#endif
int work(int) __attribute__((weak));
int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(*f), f };
	if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
		return 1;
	if (work)
		work(1);
#ifdef PROBES
	OTHER_DONE(1);
#endif
	/* It buffers, and so asks what its output is, once. */
	printf("locked\n");
	fflush(stdout);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		return 2;
	return 7;
}
C
build lib gcc -O2 -fPIC -DLIBRARY
gcc -shared -o libtoy.so lib.o lib.prov.o || fail "a library"
gcc -I. -O2 -DPROBES -c locked.c && dtrace -G -s $here/toy.d -o locked.prov.o locked.o && gcc -o itself locked.o locked.prov.o || fail "a program"
gcc -static -o static locked.o locked.prov.o || fail "a static program"
gcc -O2 -o plain locked.c && gcc -O2 -o linked locked.c -Wl,--no-as-needed -Wl,-rpath,"$PWD" -L. -ltoy || fail "gcc"
# A library that is there because another one needs it.
echo 'int work(int); int other(void) { return work(1); }' | gcc -x c -fPIC -shared -o libmid.so - -Wl,-rpath,"$PWD" -L. -ltoy || fail "gcc -shared"
gcc -O2 -o through locked.c -Wl,--no-as-needed -Wl,-rpath,"$PWD" -L. -lmid || fail "gcc"
for how in ./itself ./static ./linked ./through "./plain $PWD/libtoy.so" "./plain $PWD/libmid.so"; do
	DTRACE_DOF_INIT_DEBUG=1 $how >said 2>&1
	status=$?
	expect "$how: $(cat said)" $status 7
	grep -q "DOF .*: registered: /dev/dtrace/helper" said || fail "$how has told of nothing: $(cat said)"
done
# Nothing of them is left.
expect "listed" "$(dtrace -l 2>/dev/null | grep -c ' toy[0-9]* ')" 0

# A library that is unloaded, again and again.
cat >again.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 100; i++) {
		void *handle = dlopen(argv[1], RTLD_NOW);
		if (!handle || dlclose(handle))
			return 1;
	}
	return 0;
}
C
gcc -o again again.c || fail "gcc"
for library in libtoy.so libmid.so; do
	DTRACE_DOF_INIT_DEBUG=1 ./again "$PWD/$library" >said 2>&1 || fail "again: $(tail -1 said)"
	for what in registered removed; do
		expect "$library $what" "$(grep -c "DOF libtoy.so: $what: /dev/dtrace/helper" said)" 100
	done
done
exit 0
