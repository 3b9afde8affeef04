# SPDX-License-Identifier: GPL-2.0
# ASSERTION: -C includes the system's headers: types are laid out as in C, constants and macros mean what they mean there.
. /src/selftests/lib/sh
cd "$(mktemp -d)" || exit 1
headers="sys/types.h sys/socket.h netinet/in.h netinet/tcp.h arpa/inet.h netdb.h sys/un.h fcntl.h sys/file.h unistd.h
signal.h sys/stat.h time.h limits.h sys/time.h sys/param.h sys/wait.h stdio.h stdlib.h string.h stdint.h stddef.h sys/mman.h
sys/ioctl.h poll.h sys/resource.h pthread.h sys/syscall.h sched.h dirent.h inttypes.h errno.h linux/fs.h linux/if_ether.h"
for h in $headers; do
	echo "#include <$h>" >>all.h
	dtrace -C -e -n "#include <$h>
BEGIN { exit(0); }" 2>err || fail "$h: $(cat err)"
done
while read -r w; do
	printf '\tprintf("%%s %%d\\n", "%s", (int)(%s));\n' "$w" "$w"
done >list <<'E'
sizeof(struct stat)
sizeof(struct sockaddr_in)
sizeof(struct rusage)
sizeof(struct sigaction)
sizeof(struct dirent)
sizeof(pthread_mutex_t)
sizeof(struct addrinfo)
sizeof(struct tm)
sizeof(struct tcp_info)
sizeof(struct ethhdr)
offsetof(struct stat, st_size)
S_ISDIR(040755)
O_CREAT|O_EXCL
SOCK_STREAM
ENOENT
SIGUSR1
PATH_MAX
INT_MIN
LOCK_EX
POLLIN
E
{ cat all.h; echo 'int main(void) {'; cat list; echo '}'; } >c.c
{ cat all.h; echo 'BEGIN {'; cat list; echo '	exit(0); }'; } >d.d
gcc -w -o c c.c || fail "gcc"
expect "as in C" "$(dtrace -qCs d.d | sed '/^$/d')" "$(./c)"
# What D has of its own stays what it is, whatever a header calls so.
cat all.h - >own.d <<'E'
BEGIN { printf("%s %d %s", basename("/a/b"), strlen("abc"), probename); exit(0); }
E
expect "D's own" "$(dtrace -qCs own.d)" "b 3 BEGIN"
