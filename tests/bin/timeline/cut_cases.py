# SPDX-License-Identifier: MIT
"""Cuts traces, and compares the pieces with the results of a few rules.

    cut_cases.py CTPROF WORK FILE...
"""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from decimal import Decimal

import cut_check
from cut_check import Failure, to_ns
from pftrace_read import Trace

PROGRAM, WORK = sys.argv[1:3]
FILES = sys.argv[3:]
failed = []


def run(*arguments, status=0, **options):
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **options)
    if done.returncode != status:
        raise Failure(f'{" ".join(arguments)}: status {done.returncode}: '
                      f'{done.stderr.decode(errors="replace")}')
    return done


def path(name):
    return os.path.join(WORK, name)


def case(function, *arguments):
    name = ' '.join([function.__name__] +
                    [os.path.basename(a) for a in arguments])
    try:
        function(*arguments)
        print(f'ok {name}')
    except (Failure, OSError, ValueError, KeyError) as failure:
        print(f'FAILED: {name}: {failure}')
        failed.append(name)


def whole_of(file):
    run('convert', '-q', '--force', '-t', 'chrome', file, '-o',
        path('whole.json'))
    return path('whole.json')


def split(file, size, *options, command='convert'):
    """The parts, as Chrome traces."""
    shutil.rmtree(path('parts'), ignore_errors=True)
    run(command, '-q', '--split', str(size), *options, file, '-o',
        path('parts/'))
    return sorted(os.path.join(path('parts'), p)
                  for p in os.listdir(path('parts')))


def parts_add_up(file):
    whole = whole_of(file)
    size = os.path.getsize(whole)
    parts = split(file, max(3000, size // 12), '-t', 'chrome')
    cut_check.check_split(whole, parts)
    if len(cut_check.load(whole)[0]) > 500 and len(parts) < 4:
        raise Failure(f'{len(parts)} parts of {size} bytes')


def logs_add_up(file):
    whole = whole_of(file)
    parts = split(file, 8000, '-t', 'log', command='cut')
    for part in parts:
        run('convert', '-q', '-t', 'chrome', part, '-o', part + '.json')
    if len(parts) < 2:
        raise Failure('one log')
    cut_check.check_split(whole, [part + '.json' for part in parts])


def self_times(file):
    """The figures of each function, without its callers."""
    times = Counter()
    for line in run('convert', '-q', '-t', 'folded', file).stdout.splitlines():
        stack, time = line.rsplit(b' ', 1)
        times[stack.split(b';')[-1]] += int(time)
    return times


def overlaps_add_up():
    """Overlapping slices, which do not overlap in each of their parts."""
    for seed in range(6):
        draw = random.Random(seed)
        slices = [{'ph': 'X', 'name': f'n{i}', 'pid': 1, 'tid': 1,
                   'ts': draw.randint(0, 200), 'dur': draw.randint(0, 40),
                   'args': {'pad': 'p' * 200}} for i in range(40)]
        with open(path('overlaps.json'), 'w', encoding='ascii') as out:
            json.dump(slices, out)
        whole = self_times(path('overlaps.json'))
        parts = split(path('overlaps.json'), 4000, '-t', 'chrome')
        if len(parts) < 2:
            raise Failure('one part')
        same(sum((self_times(part) for part in parts), Counter()), +whole,
             f'self times of {seed}')


def pftrace_sums(file):
    sums = Counter()
    for track, found in Trace(file).slices:
        sums[track >> 63, found.name] += found.dur
    return sums


def pftraces_add_up(file):
    """As Perfetto would read them."""
    run('convert', '-q', '--force', file, '-o', path('whole.pftrace'))
    parts = split(file, 20000, '-t', 'pftrace')
    if len(parts) < 2:
        raise Failure('one file')
    cut_check.compare(pftrace_sums(path('whole.pftrace')),
                      sum((pftrace_sums(part) for part in parts), Counter()),
                      'time')


def speedscopes_add_up(file):
    expected = Counter({
        key: time for key, time in cut_check.totals(cut_check.slices(
            cut_check.load(whole_of(file))[0])).items()
        if key[0] == 'slice'})
    sums = Counter()
    for part in split(file, 20000, '-t', 'speedscope'):
        run('convert', '-q', '--force', '-t', 'chrome', part, '-o',
            path('part.json'))
        sums += cut_check.totals(cut_check.slices(
            cut_check.load(path('part.json'))[0]))
    cut_check.compare(expected, sums, 'time')


def windows_are_clipped(file):
    whole = whole_of(file)
    events, _ = cut_check.load(whole)
    start = min((to_ns(e['ts']) for e in events), default=0)
    moments = [to_ns(e['ts']) - start for e in events] + \
        [end - start for _, _, _, end in cut_check.slices(events)]
    moments = sorted(set(moments + [0, max(moments, default=0) + 1]))
    chosen = random.Random(os.path.basename(file))
    for number in range(2):
        a, b = sorted(chosen.sample(moments, 2))
        if number == 0:
            a, b = a + 1, b + 2
        if a == b:
            b += 1
        run('cut', '-q', '--force', '--time', f'{a}..{b}', '-t', 'chrome',
            file, '-o', path('piece.json'))
        cut_check.check_window(whole, path('piece.json'), a, b)


def roots_of(file):
    """The times of the outermost functions."""
    times = Counter()
    for line in run('convert', '-q', '-t', 'folded', file).stdout.splitlines():
        stack, time = line.rsplit(b' ', 1)
        times[stack.split(b';')[0]] += int(time)
    return times


def pieces_nest_as_their_logs(file):
    """A log has reordered calls in Python that overlap ranges."""
    events, document = cut_check.load(whole_of(file))
    start = min(to_ns(e['ts']) for e in events if 'dur' in e)
    rows = {(e['pid'], e['tid']) for e in document['traceEvents']
            if e['name'] == 'thread_name' and '(calls)' in e['args']['name']}
    calls = [e for e in events if e['ph'] == 'X' and
             (e['pid'], e['tid']) in rows]
    for call in calls[::4]:
        since = to_ns(call['ts']) - start + to_ns(call['dur']) // 2
        for piece in path('piece.ctp'), path('piece.json'):
            run('cut', '-q', '--force', '--time', f'{since}..', file, '-o',
                piece)
        same(roots_of(path('piece.json')), roots_of(path('piece.ctp')),
             f'from {since}')


def chosen_slices(file, *options):
    run('cut', '-q', '--force', *options, '-t', 'chrome', file, '-o',
        path('piece.json'))
    return slices_of(path('piece.json'))


def slices_of(file, keep=lambda e: True):
    return Counter((e['pid'], e['name'], e['ts'], e['dur'])
                   for e in cut_check.load(file)[0]
                   if e['ph'] == 'X' and keep(e))


def same(ours, theirs, what):
    if ours != theirs:
        raise Failure(f'{what}: too much: {list((ours - theirs))[:3]}, '
                      f'too little: {list((theirs - ours))[:3]}')
    if not theirs:
        raise Failure(f'{what}: chooses nothing')


def choices_are_kept(file):
    whole = whole_of(file)
    events = [e for e in cut_check.load(whole)[0] if e['ph'] == 'X']
    if not events:
        return
    length = sorted(e['dur'] for e in events)[len(events) // 2]
    # Events without a category are written with one.
    for kind in sorted({e['cat'] for e in events} - {'range'})[:2]:
        same(chosen_slices(file, '--cat', f'nothing,{kind}'),
             slices_of(whole, lambda e: e['cat'] == kind), f'--cat {kind}')
    same(chosen_slices(file, '--min-dur', f'{to_ns(length)}'),
         slices_of(whole, lambda e: e['dur'] >= length or
                   'open' in e.get('args', {})),
         f'--min-dur {length}')


HAND = {
    'schemaVersion': 1,
    'distributedInfo': {'backend': 'nccl', 'rank': 3, 'world_size': 4},
    'traceEvents': [
        {'ph': 'M', 'name': 'process_name', 'pid': 7,
         'args': {'name': 'python train.py --key=SecretKey'}},
        {'ph': 'X', 'name': 'outer', 'cat': 'cpu_op', 'pid': 7, 'tid': 1,
         'ts': 100, 'dur': 100, 'args': {'n': 1}},
        {'ph': 'X', 'name': 'Step [1]*', 'cat': 'cpu_op', 'pid': 7, 'tid': 1,
         'ts': 110, 'dur': 20},
        {'ph': 'X', 'name': 'ProfilerStep#2', 'cat': 'user_annotation',
         'pid': 7, 'tid': 2, 'ts': 140.5, 'dur': 30},
        {'ph': 'X', 'name': 'launch', 'cat': 'cuda_runtime', 'pid': 7,
         'tid': 2, 'ts': 141, 'dur': 2, 'args': {'correlation': 5}},
        {'ph': 'X', 'name': 'kernel', 'cat': 'kernel', 'pid': 0, 'tid': 7,
         'ts': 143, 'dur': 50,
         'args': {'device': 0, 'stream': 7, 'correlation': 5}},
        {'ph': 'X', 'name': 'other', 'cat': 'kernel', 'pid': 1, 'tid': 7,
         'ts': 150, 'dur': 50, 'args': {'device': 1, 'stream': 7}},
        {'ph': 'b', 'name': 'request', 'cat': 'net', 'id': '0x1', 'pid': 8,
         'tid': 1, 'ts': 120, 'args': {'url': 'https://SecretHost/x'}},
        {'ph': 'e', 'name': 'request', 'cat': 'net', 'id': '0x1', 'pid': 8,
         'tid': 1, 'ts': 190},
        {'ph': 'i', 'name': 'moment', 'pid': 8, 'tid': 1, 'ts': 130,
         's': 't'},
    ]}


def make_hand():
    with open(path('hand.json'), 'w', encoding='utf-8') as file:
        json.dump(HAND, file)
    return path('hand.json')


def cut_names(*options):
    """Names, each with its time since the trace's base, and its length."""
    run('cut', '-q', '--force', *options, make_hand(), '-o', path('cut.json'))
    events = cut_check.load(path('cut.json'))[0]
    return {(e['name'], e['ph']): (Decimal(e['ts']), e.get('dur'))
            for e in events}


def expect(ours, theirs, what):
    if ours != theirs:
        raise Failure(f'{what}: {ours} instead of {theirs}')


def around_and_step():
    expect(cut_names('--around', 'Step [1]*'), {
        ('outer', 'X'): (110, 20), ('Step [1]*', 'X'): (110, 20),
        ('request', 'b'): (120, None), ('request', 'e'): (130, None)},
        'a name that looks like a pattern')
    step = {
        ('outer', 'X'): (Decimal('140.5'), 30),
        ('ProfilerStep#2', 'X'): (Decimal('140.5'), 30),
        ('launch', 'X'): (141, 2),
        ('kernel', 'X'): (143, Decimal('27.5')),
        ('other', 'X'): (150, Decimal('20.5')),
        ('request', 'b'): (Decimal('140.5'), None),
        ('request', 'e'): (Decimal('170.5'), None),
        ('ac2g', 's'): (141, None), ('ac2g', 'f'): (143, None)}
    expect(cut_names('--step', '2'), step, '--step')
    expect(cut_names('--around', 'Profiler*'), step, 'a pattern')
    with open(make_hand(), 'rb') as file:
        done = run('cut', '--step', '2', '-', stdin=file)
    expect(json.loads(done.stdout)['traceEvents'],
           json.load(open(path('cut.json'), encoding='utf-8'))['traceEvents'],
           'standard input')
    run('cut', '--around', 'nowhere', make_hand(), '-o', path('no.json'),
        status=1)
    if os.path.exists(path('no.json')):
        raise Failure('something was written')


def lists():
    device = {'kernel', 'other'}
    for options, names in (
            (('--pid', '8'), {'request', 'moment'}),
            (('--pid', '1-6,8'), {'request', 'moment'}),
            (('--tid', '2', '--device=none'), {'ProfilerStep#2', 'launch'}),
            (('--device', '1'), {'outer', 'Step [1]*', 'ProfilerStep#2',
                                 'launch', 'request', 'moment', 'other'}),
            (('--tid=none',), device),
            (('--rank', '3', '--tid=none'), device),
            (('--rank', '4'), set()),
            (('--cat', 'net,cuda_runtime'), {'request', 'launch'}),
            (('--min-dur', '60us'), {'outer', 'request', 'moment'})):
        found = {name for name, _ in cut_names(*options)} - {'ac2g'}
        expect(found, names, ' '.join(options))


SECRETS = ('SecretUser', 'SecretHost', 'SecretKey', 'SecretText', 'SecretPath',
           'SecretThread', 'SecretModel', 'SecretOther', '10.20.30.40')


def make_secrets():
    where = '/home/SecretUser/SecretPath'
    event = {'ph': 'X', 'pid': 7, 'tid': 1, 'ts': 100, 'dur': 10,
             'cat': 'cpu_op'}
    events = HAND['traceEvents'] + [
        {'ph': 'M', 'name': 'thread_name', 'pid': 7, 'tid': 1,
         'args': {'name': f'reader of {where}'}},
        {'ph': 'M', 'name': 'process_labels', 'pid': 7,
         'args': {'labels': 'SecretHost'}},
        {'ph': 'M', 'name': 'thread_name', 'pid': 7, 'tid': 2,
         'args': {'name': 'SecretThread'}},
        {'ph': 'M', 'name': 'process_name', 'pid': 8,
         'args': {'name': 'SecretPath'}},
        dict(event, name=f'{where}/model.py(12): forward'),
        dict(event, ts=200, name=f'load ({where}/model.py:12)'),
        dict(event, ts=250, name='SecretModel.py(12): forward'),
        dict(event, ts=260, name='load (/a/My SecretPath/SecretModel.py:12)'),
        dict(event, ts=300, name='C:\\Users\\SecretUser\\run', cat=where),
        dict(event, ts=400, name='f', args={
            'text': 'SecretText', 'detail': f'{where}/a.h', where: 1,
            'list': ['SecretText', 2, {'SecretText"\\': 'Secret\\tText'}],
            'stack': 'SecretText', 'Input type': ['SecretText']}),
        {'ph': 'i', 'name': f'open {where}', 'pid': 7, 'tid': 1, 'ts': 450,
         's': 't', 'args': {'host': 'SecretHost'}},
        {'ph': 'C', 'name': where, 'pid': 7, 'tid': 1, 'ts': 460,
         'args': {where: 3}}]
    document = dict(
        HAND, traceEvents=events, host='SecretHost.org', user='SecretUser',
        address='10.20.30.40', command=f'{where} --SecretKey',
        otherData={'cwd': where, 'home': '/home/SecretOther'},
        deviceProperties=[{'id': 0, 'name': 'A100', 'uuid': 'SecretText'}])
    events.append(dict(event, ts=500, name='on SecretHost of SecretUser or '
                       'SecretOther'))
    with open(path('SecretPath.json'), 'w', encoding='utf-8') as file:
        json.dump(document, file)
    return path('SecretPath.json')


def unpacked(file):
    with open(file, 'rb') as opened:
        found = opened.read()
    return gzip.decompress(found) if found[:2] == b'\x1f\x8b' else found


def nothing_secret_is_left():
    file = make_secrets()
    formats = run('formats', '--json').stdout
    known = 'kept'
    for row in json.loads(formats)['rows']:
        form = row['name']
        if not row['writes'] or (form == 'svg' and
                                 not shutil.which('gprof2dot')):
            continue
        known += form
        out = path(f'redacted.{form}')
        options = 'cut', '-q', '--force', '--redact', '-t', form, '-o', out
        run(*options, file)
        text = unpacked(out)
        with open(file, 'rb') as piped:
            run(*options, '-', stdin=piped)
        for secret in SECRETS:
            for found in text, unpacked(out):
                if secret.encode() in found:
                    at = found.index(secret.encode())
                    raise Failure(f'{form}: {found[max(at - 60, 0):at + 40]}')
        if form != 'chrome':
            continue
        document = json.loads(text, parse_constant=cut_check.refuse)
        expect(document['distributedInfo']['rank'], 3, 'the rank')
        if b'forward' not in text:
            raise Failure('the name of a function is gone')
    if 'chrome' not in known or 'log' not in known:
        raise Failure(f'not all formats were tried: {formats}')


def hashes_are_stable():
    def name_of(*options):
        run('cut', '-q', '--force', *options, make_secrets(), '-o',
            path('hash.json'))
        return [e['args']['text'] for e in
                cut_check.load(path('hash.json'))[0] if e['name'] == 'f'][0]
    plain = name_of('--redact')
    expect(name_of('--redact'), plain, 'the same text')
    expect(name_of('--redact', '--time', '200us..'), plain, 'in a piece')
    salted = name_of('--redact=salt')
    if salted == plain or name_of('--redact=other') in (salted, plain):
        raise Failure('the salt does not matter')
    expect(name_of('--redact=salt'), salted, 'the same salt')


def mistakes_are_refused():
    hand = make_hand()
    out = path('mistake.json')
    for options in (
            ('--time', '2..1'), ('--time', '5'), ('--time', '1x..'),
            ('--time', '1..2', '--step', '3'), ('--step', 'x'),
            ('--pid', ''), ('--pid', '3-1'), ('--pid', '1,'),
            ('--min-dur', 'long'), ('--split', 'much')):
        run('cut', *options, hand, '-o', out, status=2)
    run('cut', '--split', '1M', hand, status=2)
    run('convert', '--split', '1M', '-t', 'chrome', hand, status=2)
    run('convert', '--split', '1M', '-t', 'pstats', hand, '-o', WORK,
        status=2)
    run('cut', hand, hand, '-o', out, status=2)
    run('convert', '-q', hand, '-o', path('hand.pstats'))
    run('cut', '--time', '1..', path('hand.pstats'), '-t', 'chrome', '-o',
        out, status=3)
    if os.path.exists(out):
        raise Failure('something was written')
    run('cut', '--max-mem=1M', '--time', '1..', hand, '-o', out, status=6)


def main():
    for file in FILES:
        case(parts_add_up, file)
        case(windows_are_clipped, file)
    for file in FILES:
        size = os.path.getsize(file)
        if 25000 < size < 1000000:
            case(logs_add_up, file)
            case(pftraces_add_up, file)
            case(speedscopes_add_up, file)
        if file.endswith('.gz') and size > 10000:
            case(choices_are_kept, file)
        if file.endswith('with_stack.json.gz'):
            case(pieces_nest_as_their_logs, file)
    for function in (overlaps_add_up, around_and_step, lists, nothing_secret_is_left,
                     hashes_are_stable, mistakes_are_refused):
        case(function)
    sys.exit(bool(failed))


main()
