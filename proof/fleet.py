# SPDX-License-Identifier: GPL-2.0
# Compares what Prometheus says of all machines with the sum of the machines' own distributions (the files: one scrape each).
import json, re, sys, urllib.parse, urllib.request

def query(text):
    url = 'http://127.0.0.1:9090/api/v1/query?query=' + urllib.parse.quote(text)
    return json.load(urllib.request.urlopen(url, timeout=60))['data']['result']

def number(text):
    result = query(text)
    assert len(result) == 1, (text, result)
    return float(result[0]['value'][1])

def own(file, name):
    """The buckets of one machine, by their upper bounds, of all keys together."""
    sums, before = {}, {}
    for line in open(file):
        found = re.match(name + r'_bucket\{(.*?),?le="([^"]*)"\} (\d+)', line)
        if found:
            keys, bound, n = found.group(1), float(found.group(2)), int(found.group(3))
            sums[bound] = sums.get(bound, 0) + n - before.get(keys, 0)
            before[keys] = n
    return sums

def percentile(q, buckets):
    """As Prometheus does for histograms of powers of two: linear between the bounds."""
    rank, seen = q * sum(buckets.values()), 0
    for bound in sorted(buckets):
        if buckets[bound] and seen + buckets[bound] >= rank:
            # Values up to 2^k - 1 are in the native bucket up to 2^k.
            low, high = (bound + 1) / 2, bound + 1
            return low + (high - low) * (rank - seen) / buckets[bound]
        seen += buckets[bound]

reads = 'dtrace_io_ns'
all, machines = {}, []
for file in sys.argv[1:]:
    buckets = own(file, reads)
    machines.append(sum(buckets.values()))
    for bound, n in buckets.items():
        all[bound] = all.get(bound, 0) + n
print('reads that each machine saw:', machines)
assert machines[0] > machines[1] > machines[2] >= 120 + 25, machines
counted = number(f'sum(histogram_count({reads}))')
assert counted == sum(machines), (counted, machines)
for q in 0.5, 0.9, 0.99:
    theirs, ours = number(f'histogram_quantile({q}, sum({reads}))'), percentile(q, all)
    print(f'percentile {q}: Prometheus {theirs:.1f}, the sum of the machines {ours:.1f}')
    assert abs(theirs - ours) <= 0.01 * ours, (theirs, ours)
waited = number('histogram_quantile(0.99, sum(dtrace_runqueue_ns))')
print(f'99 % of the waits for a CPU are below {waited:.0f} ns')
assert waited > 0
