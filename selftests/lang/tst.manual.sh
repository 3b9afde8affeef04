# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every example of docs/ prints what the page says, but for CPUs, ids, pids, the kernel's release, counters
# of the driver, and when the traced program speaks. All on one CPU: which records a ring keeps depends on who moves.
# SECONDS: 400
. /src/selftests/lib/sh
driver hworld; driver many
cd "$(mktemp -d)" || exit 1
export LC_ALL=C
taskset 1 python3 - "$drivers/hworld/hworld.ko" <<'P'
import glob, os, re, subprocess, sys

patience = 90 * int(os.environ.get('SLOW', 1))

def plain(text):
    for pattern, by in [(r'(?m)^ *\d+ +\d+ +(\S*:\S+)', r'CPU ID \1'), (r'(?m)^ *\d+( +(->|<-|\|) )', r'CPU\1'),
                        (r'(?m)^ *\d+( +(fbt|hworld|syscall) )', r'ID\1'), (r'(?m)^( +\S+`\S+)\+0x[0-9a-f]+$', r'\1'),
                        (r'pid \d+', 'pid N'), (r'"((?:wall)?timestamp|cpu)":\d+', r'"\1":N'),
                        (r'"kernel":"[^"]*"', '"kernel":K'),
                        (r'(?m)^(hello, world: opened|29 /proc|cat: ).*\n', ''),
                        (r'(dtrace: \d+ drops on CPU \d+\n)+', 'N drops on CPU N\n'),
                        (r'(-> open1 +|open1:entry   cat +)\d+', r'\1N')]:
        text = re.sub(pattern, by, text)
    return text.replace(' ', '')

bad = count = 0
for page in sorted(glob.glob('/src/docs/*.md')):
    # Its counter begins anew.
    subprocess.run(['rmmod', 'hworld'], check=True)
    subprocess.run(['insmod', sys.argv[1]], check=True)
    blocks = re.findall(r'(?ms)^```\n(.*?)^```$', open(page).read())
    for block in blocks:
        if block.startswith('#!'):
            open(re.search(r'/\* (\S+\.d):', block)[1], 'w').write(block)
            continue
        for command, wanted in re.findall(r'(?ms)^# (dtrace .*?)\n(.*?)(?=^# |\Z)', block):
            run = subprocess.run(['timeout', str(patience), 'bash', '-c', command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            got, count = run.stdout.decode(), count + 1
            if run.returncode == 124:
                got += f'(it did not end within {patience} seconds)\n'
            if plain(got) != plain(wanted):
                bad += 1
                print(f'{page}: {command}\n--- the page says\n{wanted}--- it prints\n{got}')
print(f'{count} examples, {bad} differ')
sys.exit(bad > 0 or count < 10)
P
