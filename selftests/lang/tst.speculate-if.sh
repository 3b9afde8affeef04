# SPDX-License-Identifier: GPL-2.0
# ASSERTION: speculate() in a clause with if: in a branch it is for that branch alone, before an if for the branches too; an id
# that is not to be had loses that record and nothing else of the clause.
. /src/selftests/lib/sh
dtrace -qn 'BEGIN { self->a = speculation(); }
BEGIN { if (self->a) { speculate(self->a); printf("branch "); } else { printf("never "); } printf("after "); }
BEGIN { speculate(self->a); if (pid) { printf("inner "); } printf("outer "); }
BEGIN { if (1) { speculate(77); printf("lost "); } printf("kept "); }
BEGIN { printf("| "); }
BEGIN { commit(self->a); }
BEGIN { exit(0); }' >/tmp/out 2>/tmp/err || fail "$(cat /tmp/err)"
cat /tmp/out
