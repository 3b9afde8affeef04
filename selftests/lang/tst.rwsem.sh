# SPDX-License-Identifier: GPL-2.0
# ASSERTION: rw_read_held() rw_write_held() rw_iswriter() tell of a directory's lock, shared while it is read and exclusive while it changes.
. /src/selftests/lib/sh
mkdir -p /tmp/dir; touch /tmp/dir/a
trace /tmp/out -n 'fbt::iterate_dir:entry /execname == "ls"/ { self->lock = &args[0]->f_inode->i_rwsem; }
	fbt::filldir64:entry /self->lock/ { @shared[rw_read_held(self->lock), rw_write_held(self->lock), rw_iswriter(self->lock)] = count(); }
	fbt::iterate_dir:return { self->lock = 0; }
	fbt::vfs_unlink:entry /execname == "rm"/ { printf("unlink %d %d %d\n", rw_read_held(&args[1]->i_rwsem), rw_write_held(&args[1]->i_rwsem),
		rw_iswriter(&args[1]->i_rwsem)); }
	END { printa("readdir %d %d %d\n", @shared); }'
ls /tmp/dir >/dev/null
rm /tmp/dir/a
end_trace
cat /tmp/out /tmp/out.err
expect "unlink" "$(grep '^unlink' /tmp/out)" "unlink 0 1 1"
expect "readdir" "$(grep '^readdir' /tmp/out)" "readdir 1 0 0"
