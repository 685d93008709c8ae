"""Every branch here can be taken, by inputs that C code or the library reads: each was once called infeasible, or might be."""

import array, bisect, copy, datetime, functools, heapq, io, itertools, json, math, operator, os, os.path, random, string, struct, textwrap, types, statistics, shlex, binascii, base64, html, urllib.parse, unicodedata, fnmatch, keyword
from collections import Counter, OrderedDict, defaultdict, deque, ChainMap


def op_add_float(x: int):
    if operator.add(2.5, x) == 123458.5:
        return 1
    return 0


def op_mul_text(x: int):
    if len(operator.mul('ab', x)) == 1234:
        return 1
    return 0


def op_mod(x: int):
    if operator.mod('%d', x) == '123456':
        return 1
    return 0


def itemgetter_x(x: int):
    t = [0] * 3000
    t[2777] = 1
    g = operator.itemgetter(x)
    if -3000 <= x < 3000 and g(t) == 1:
        return 1
    return 0


def methodcaller_s(s: str):
    if operator.methodcaller('find', s)('hello brave new world') == 12 and len(s) == 3:
        return 1
    return 0


def islice_x(x: int):
    if 0 <= x < 10 ** 6 and len(list(itertools.islice(range(100000), x))) == 77777:
        return 1
    return 0


def count_x(x: int):
    if next(itertools.count(x)) == 1234567:
        return 1
    return 0


def repeat_x(x: int):
    if x < 100000 and len(list(itertools.repeat(1, x))) == 7777:
        return 1
    return 0


def combinations_x(x: int):
    if 0 <= x < 100 and len(list(itertools.combinations(range(100), 2))) == 4950 and (sum((1 for _ in itertools.permutations([1, 2, 3], x))) == 6) and (x != 3) and (x != 2):
        return 0
    return 1


def deque_rotate(x: int):
    d = deque(range(1000))
    d.rotate(x)
    if d[0] == 777:
        return 1
    return 0


def deque_maxlen(x: int):
    if x >= 0 and len(deque(range(5000), x)) == 3333:
        return 1
    return 0


def list_insert(x: int):
    l = [0] * 30
    l.insert(x, 1)
    if l[17] == 1:
        return 1
    return 0


def list_pop(x: int):
    l = list(range(30))
    if 0 <= x < 30 and l.pop(x) == 17:
        return 1
    return 0


def bytearray_append(x: int):
    b = bytearray()
    if 0 <= x < 256:
        b.append(x)
        if b[0] == 177:
            return 1
    return 0


def bytearray_extend(x: int):
    b = bytearray()
    if 0 <= x < 256:
        b.extend([x])
        if b == b'\xb1':
            return 1
    return 0


def array_append(x: int):
    a = array.array('q')
    if -2 ** 62 < x < 2 ** 62:
        a.append(x)
        if a[0] == 123456789:
            return 1
    return 0


def stringio(s: str):
    b = io.StringIO()
    b.write(s)
    if b.getvalue() == 'xyzzy!':
        return 1
    return 0


def print_buf(x: int):
    b = io.StringIO()
    print(x, file=b)
    if b.getvalue() == '123456\n':
        return 1
    return 0


def subscript_callee(s: str):
    table = {'int': int, 'len': len}
    if s.isdigit() and s.isascii() and (table['int'](s) == 987654):
        return 1
    return 0


OPS = [int, float, str]


def subscript_callee2(x: int):
    if OPS[2](x) == '123456':
        return 1
    return 0


class Conv:
    conv = int
    text = staticmethod(str.upper)


def class_callee(s: str):
    if s.isdigit() and s.isascii() and (Conv.conv(s) == 987654):
        return 1
    return 0


def class_callee2(s: str):
    if Conv.text(s) == 'XYZZY':
        return 1
    return 0


def nested_attr(s: str):
    if os.path.basename(s) == 'xyzzy' and s.startswith('/'):
        return 1
    return 0


def nested_attr2(s: str):
    try:
        d = datetime.datetime.fromisoformat(s)
    except ValueError:
        return 0
    if d.year == 1987:
        return 1
    return 2


def getattr_call(s: str):
    if getattr('hello brave new world', 'find')(s) == 12 and len(s) == 3:
        return 1
    return 0


def slot_add(x: int):
    if int.__add__(x, 1) == 123457:
        return 1
    return 0


def slot_contains(s: str):
    if 'hello brave'.__contains__(s) and len(s) == 4 and (s[0] == 'b'):
        return 1
    return 0


def slot_getitem(x: int):
    t = [0] * 3000
    t[2777] = 1
    if 0 <= x < 3000 and t.__getitem__(x) == 1:
        return 1
    return 0


def str_eq_slot(s: str):
    if str.__eq__('xyzzy', s):
        return 1
    return 0


def float_from_hex(s: str):
    try:
        if float.fromhex(s) == 255.5:
            return 1
    except (ValueError, OverflowError):
        return 2
    return 0


def maketrans_s(s: str):
    if len(s) == 3:
        if 'abc'.translate(str.maketrans('abc', s)) == 'qzx':
            return 1
    return 0


def partial_noargs(s: str):
    f = functools.partial('hello brave new world'.find, s)
    if f() == 12 and len(s) == 3:
        return 1
    return 0


def map_bound(s: str):
    if list(map('hello brave new world'.find, [s])) == [12] and len(s) == 3:
        return 1
    return 0


def sorted_key_bound(a: int, b: int):
    d = {3333: 1, 4444: 2}
    if sorted([a, b], key=lambda v: d.get(v, 0)) == [3333, 4444] and a > b:
        return 1
    return 0


def map_dict_get(x: int):
    d = {123456: 'a'}
    if list(map(d.get, [x])) == ['a']:
        return 1
    return 0


def sum_float_int(x: int):
    if sum([0.5, x]) == 123456.5:
        return 1
    return 0


def sum_start_float(x: int):
    if sum([x, 1], 0.5) == 123456.5:
        return 1
    return 0


def prod_gen(x: int):
    if math.prod((v for v in [2, x])) == 246912:
        return 1
    return 0


def prod_float(x: int):
    if math.prod([0.5, x]) == 61728.0:
        return 1
    return 0


def fsum_gen(x: float):
    if math.fsum((v for v in [2.0, x])) == 12345.5:
        return 1
    return 0


def bytes_gen(x: int):
    if 0 <= x < 256 and bytes((v for v in [x])) == b'\xb1':
        return 1
    return 0


def struct_pack(x: int):
    if 0 <= x < 2 ** 31 and struct.pack('<i', x) == b'\x124V\x00':
        return 1
    return 0


def struct_obj(x: int):
    st = struct.Struct('<i')
    if 0 <= x < 2 ** 31 and st.pack(x) == b'\x124V\x00':
        return 1
    return 0


def struct_unpack(b: bytes):
    if len(b) == 4 and struct.unpack('<i', b)[0] == 5649426:
        return 1
    return 0


def struct_star(x: int):
    args = ('<i', x)
    if 0 <= x < 2 ** 31 and struct.pack(*args) == b'\x124V\x00':
        return 1
    return 0


def json_nested(x: int):
    if json.dumps([[x]]) == '[[123456]]':
        return 1
    return 0


def json_loads(s: str):
    try:
        if json.loads(s) == {'a': 7}:
            return 1
    except ValueError:
        return 2
    return 0


def random_seed(x: int):
    if random.Random(x).random() > 0.9999:
        return 1
    return 0


def randint(x: int):
    random.seed(x)
    if random.randint(0, 10 ** 6) == 4711:
        return 1
    return 0


def copy_x(xs: list[int]):
    if copy.copy(xs) == [123456]:
        return 1
    return 0


def deepcopy_x(xs: list[int]):
    if copy.deepcopy(xs) == [123456]:
        return 1
    return 0


def attrgetter_x(x: int):
    if operator.attrgetter('real')(x) == 123456:
        return 1
    return 0


def getattr_name(s: str):
    if hasattr(Conv, s) and s[0] == 't':
        return 1
    return 0


def getattr_name2(s: str):
    if getattr(Conv, s, None) is int:
        return 1
    return 0


def eval_s(s: str):
    try:
        if eval(s, {}) == 4711:
            return 1
    except Exception:
        return 2
    return 0


def exec_s(x: int):
    ns = {'x': x}
    exec('y = 2.5 + x', ns)
    if ns['y'] == 123458.5:
        return 1
    return 0


def set_comp(x: int):
    if {x, 3} == {3}:
        return 1
    return 0


def set_comp2(xs: list[int]):
    if len(xs) == 3 and len({v for v in xs}) == 1 and (xs[0] > 1000):
        return 1
    return 0


def dict_comp(xs: list[int]):
    d = {v: 1 for v in xs}
    if 123456 in d:
        return 1
    return 0


def fstr(x: int):
    if f'{x:>{8}}' == '  123456':
        return 1
    return 0


def fstr_conv(s: str):
    if f'{s!r}' == "'xyzzy'":
        return 1
    return 0


def fstr_width(x: int):
    if 0 <= x < 10000 and len(f'{1:{x}}') == 777:
        return 1
    return 0


def str_format_nested(x: int):
    if 0 < x < 10000 and len('{:{}}'.format(1, x)) == 777:
        return 1
    return 0


def format_map_(x: int):
    if '{a}'.format_map({'a': x}) == '123456':
        return 1
    return 0


def template(s: str):
    if string.Template('$a!').substitute(a=s) == 'xyzzy!':
        return 1
    return 0


def memview(b: bytes):
    if len(b) > 2 and memoryview(b)[1] == 177:
        return 1
    return 0


def slice_indices(x: int):
    if slice(x).indices(10000)[1] == 7777:
        return 1
    return 0


def exc_str(x: int):
    if str(ValueError(x)) == '123456':
        return 1
    return 0


def ns(x: int):
    n = types.SimpleNamespace(a=x)
    if n.a == 123456:
        return 1
    return 0


def ns_eq(x: int):
    if types.SimpleNamespace(a=x) == types.SimpleNamespace(a=123456):
        return 1
    return 0


def counter_update(s: str):
    c = Counter()
    c.update(s)
    if c['q'] == 3:
        return 1
    return 0


def counter_mc(s: str):
    c = Counter(s).most_common(1)
    if c and c[0] == ('q', 3):
        return 1
    return 0


def odict(x: int):
    d = OrderedDict()
    d[1] = 2
    d[x] = 3
    if len(d) == 1:
        return 1
    return 0


def ddict(x: int):
    d = defaultdict(int)
    d[123456] += 5
    d[x] += 1
    if d[123456] == 6:
        return 1
    return 0


def chainmap(x: int):
    if ChainMap({123456: 1}, {}).get(x):
        return 1
    return 0


def dedent(s: str):
    if textwrap.dedent(s) == 'xyzzy':
        return 1
    return 0


def capwords(s: str):
    if string.capwords(s) == 'Xy Zz':
        return 1
    return 0


def fnmatch_(s: str):
    if fnmatch.fnmatch(s, 'x*z?y'):
        return 1
    return 0


def shlex_(s: str):
    try:
        if shlex.split(s) == ['ab', 'cd']:
            return 1
    except ValueError:
        return 2
    return 0


def mean_(x: int):
    if statistics.mean([x, 4]) == 61730:
        return 1
    return 0


def quote(s: str):
    if urllib.parse.quote(s) == 'a%20b':
        return 1
    return 0


def urlp(s: str):
    try:
        if urllib.parse.urlparse(s).scheme == 'xyz':
            return 1
    except ValueError:
        return 2
    return 0


def html_(s: str):
    if html.escape(s) == '&lt;q&gt;':
        return 1
    return 0


def unic(s: str):
    if len(s) == 1 and unicodedata.category(s) == 'Sk':
        return 1
    return 0


def b64(s: str):
    if base64.b64encode(s.encode('utf-8', 'ignore')) == b'eHl6enk=':
        return 1
    return 0


def hexlify(b: bytes):
    if binascii.hexlify(b) == b'deadbeef':
        return 1
    return 0


def bhex(b: bytes):
    if b.hex() == 'deadbeef':
        return 1
    return 0


def environ(s: str):
    if os.environ.get(s):
        return 1
    return 0


def keyword_(s: str):
    if keyword.iskeyword(s) and s[0] == 'w' and (s[1] == 'i'):
        return 1
    return 0


def bisect_(x: int):
    if bisect.bisect([1, 10, 12345, 12346, 99999], x) == 3:
        return 1
    return 0


def bisect_lo(x: int):
    if 0 <= x <= 5000 and bisect.bisect_left([0] * 5000, 0, x) == 3333:
        return 1
    return 0


def heap(xs: list[int]):
    if len(xs) == 3:
        h = list(xs)
        heapq.heapify(h)
        if heapq.heappop(h) == 1234 and h[0] == 4321:
            return 1
    return 0


def nsmall(xs: list[int], n: int):
    if heapq.nsmallest(n, xs) == [11, 12, 13]:
        return 1
    return 0


def iter_sentinel(xs: list[int]):
    it = iter(xs)
    if list(iter(lambda: next(it, 123456), 123456)) == [777]:
        return 1
    return 0


def zipstrict(xs: list[int], ys: list[int]):
    try:
        if sum((a * b for a, b in zip(xs, ys, strict=True))) == 7919:
            return 1
    except ValueError:
        return 2
    return 0


def reduce_(xs: list[int]):
    if functools.reduce(operator.mul, xs, 1) == 7919:
        return 1
    return 0


def cmpkey(a: int, b: int):
    if sorted([a, b], key=functools.cmp_to_key(lambda p, q: q - p)) == [99, 12] and a == 12:
        return 1
    return 0


@functools.lru_cache
def cached(x):
    return x * 2


def lru(x: int):
    if cached(x) == 246912:
        return 1
    return 0


@functools.singledispatch
def sd(v):
    return 0


@sd.register
def _(v: int):
    return v + 1


def single(x: int):
    if sd(x) == 123457:
        return 1
    return 0
