"""Every branch here can be taken: objects, containers, patterns, texts and numbers whose terms are easily lost."""

import dataclasses, datetime, decimal, enum, fractions, io, itertools, math, pathlib, re
from collections import deque, UserDict, UserList, UserString
from typing import Any, NamedTuple, Optional, Union


class MyInt(int):
    pass


class MyStr(str):

    def shout(self):
        return self.upper() + '!'


class MyInt2(int):

    def __new__(cls, v):
        return super().__new__(cls, v)


class MyList(list):
    pass


class MyDict(dict):

    def __missing__(self, key):
        return 5


class Writer:

    def __init__(self):
        self.buf = io.StringIO()

    def write(self, s):
        self.buf.write(s)

    def get(self):
        return self.buf.getvalue()


class P(NamedTuple):
    a: int
    b: str


@dataclasses.dataclass(order=True, frozen=True)
class D:
    a: int
    b: str = ''


class Color(enum.Enum):
    RED = 4711
    BLUE = 2


class Fl(enum.IntFlag):
    A = 1024
    B = 4096


class Desc:

    def __get__(self, obj, owner=None):
        return obj.__dict__.get('v', 0)

    def __set__(self, obj, value):
        obj.__dict__['v'] = value


class HasDesc:
    d = Desc()


class Slots:
    __slots__ = ('a',)

    def __init__(self, a):
        self.a = a


class Ctx:

    def __init__(self, v):
        self.v = v

    def __enter__(self):
        return self.v

    def __exit__(self, *a):
        return self.v == 4711


class Call:

    def __call__(self, v):
        return v + 1


class It:

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        for i in range(self.n):
            yield i

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i * 2

    def __contains__(self, v):
        return v == 4711

    def __bool__(self):
        return self.n == 4712


class Cmp:

    def __init__(self, v):
        self.v = v

    def __lt__(self, o):
        return self.v < o.v

    def __eq__(self, o):
        return self.v == o.v

    def __hash__(self):
        return hash(self.v)

    def __format__(self, spec):
        return f'<{self.v}>'

    def __str__(self):
        return 's' + str(self.v)

    def __index__(self):
        return self.v

    def __int__(self):
        return self.v

    def __float__(self):
        return float(self.v)


def f_myint(x: int):
    if MyInt(x) == 123456:
        return 1
    return 0


def f_myint2(x: int):
    if MyInt2(x) + 1 == 123457:
        return 1
    return 0


def f_mystr(s: str):
    if MyStr(s).shout() == 'XYZZY!':
        return 1
    return 0


def f_mylist(xs: list[int]):
    l = MyList(xs)
    if len(l) == 2 and l[1] == 123456:
        return 1
    return 0


def f_mydict(s: str):
    d = MyDict()
    d['xyzzy'] = 1
    if d[s] == 1:
        return 1
    return 0


def f_writer(s: str):
    w = Writer()
    w.write(s)
    if w.get() == 'xyzzy':
        return 1
    return 0


def f_nt(x: int, s: str):
    p = P(x, s)._replace(a=x + 1)
    if p == (123456, 'q'):
        return 1
    return 0


def f_dc(x: int, s: str):
    if D(x, s) == D(123456, 'q'):
        return 1
    if D(x) > D(99999999):
        return 2
    return 0


def f_dc_set(x: int):
    if D(x) in {D(123456)}:
        return 1
    return 0


def f_enum(x: int):
    try:
        c = Color(x)
    except ValueError:
        return 0
    if c is Color.RED:
        return 1
    return 2


def f_enum_in(x: int):
    if x in [c.value for c in Color]:
        return 1
    return 0


def f_flag(x: int):
    if 0 <= x < 8192 and Fl.A & x and Fl.B & x:
        return 1
    return 0


def f_desc(x: int):
    h = HasDesc()
    h.d = x
    if h.d == 123456:
        return 1
    return 0


def f_slots(x: int):
    if Slots(x).a == 123456:
        return 1
    return 0


def f_ctx(x: int):
    with Ctx(x) as v:
        if v == 4711:
            raise ValueError
        return 0
    return 1


def f_call(x: int):
    if Call()(x) == 123457:
        return 1
    return 0


def f_it_len(n: int):
    if 0 <= n < 1000 and len(It(n)) == 777:
        return 1
    return 0


def f_it_sum(n: int):
    if 0 <= n < 50 and sum(It(n)) == 45:
        return 1
    return 0


def f_it_list(n: int):
    if 0 <= n < 100 and len(list(It(n))) == 77:
        return 1
    return 0


def f_it_in(x: int):
    if x in It(3):
        return 1
    return 0


def f_it_bool(x: int):
    if It(x):
        return 1
    return 0


def f_it_get(x: int):
    if It(3)[x] == 9422:
        return 1
    return 0


def f_cmp_sorted(a: int, b: int):
    r = sorted([Cmp(a), Cmp(b)])
    if r[0].v == 111 and a == 222:
        return 1
    return 0


def f_cmp_set(a: int):
    if Cmp(a) in {Cmp(4711)}:
        return 1
    return 0


def f_cmp_fmt(a: int):
    if f'{Cmp(a)}' == '<4711>':
        return 1
    if '%s' % Cmp(a) == 's4712':
        return 2
    if '{}'.format(Cmp(a)) == '<4713>':
        return 3
    return 0


def f_index_obj(a: int):
    if 0 <= a < 1000 and list(range(1000))[Cmp(a)] == 777:
        return 1
    return 0


def f_int_obj(a: int):
    if int(Cmp(a)) == 4711:
        return 1
    return 0


def f_float_obj(a: int):
    if float(Cmp(a)) == 4711.0:
        return 1
    return 0


def f_range_obj(a: int):
    if 0 <= a < 1000 and len(range(Cmp(a))) == 777:
        return 1
    return 0


def f_hex_obj(a: int):
    if hex(Cmp(a)) == '0x1267':
        return 1
    return 0


def f_math_obj(a: int):
    if math.sqrt(Cmp(a) if a > 0 else 1) == 111.0:
        return 1
    return 0


def f_chr_obj(a: int):
    if 0 <= a < 1000 and chr(Cmp(a)) == 'ŷ':
        return 1
    return 0


def f_userdict(s: str):
    d = UserDict({'xyzzy': 1})
    if d.get(s) == 1:
        return 1
    return 0


def f_userdict2(s: str):
    d = UserDict({'xyzzy': 1})
    if s in d:
        return 1
    return 0


def f_userlist(x: int):
    l = UserList([0] * 900 + [1] + [0] * 90)
    if 0 <= x < 990 and l[x] == 1:
        return 1
    return 0


def f_userstring(s: str):
    u = UserString('hello brave world')
    if u.find(s) == 6 and len(s) == 3:
        return 1
    return 0


def f_path(s: str):
    if (pathlib.PurePosixPath('a') / s).suffix == '.xyz':
        return 1
    return 0


def f_path_name(s: str):
    if pathlib.PurePosixPath(s).name == 'xyzzy':
        return 1
    return 0


def f_fraction(x: int):
    if fractions.Fraction(x, 7) == fractions.Fraction(12345, 7):
        return 1
    return 0


def f_fraction2(x: int):
    if fractions.Fraction(1, 2) + x == fractions.Fraction(24691, 2):
        return 1
    return 0


def f_decimal(x: int):
    if decimal.Decimal(x) / 4 == decimal.Decimal('1177.75'):
        return 1
    return 0


def f_decimal_s(s: str):
    try:
        if decimal.Decimal(s) == decimal.Decimal('12.75'):
            return 1
    except decimal.InvalidOperation:
        return 2
    return 0


def f_td(x: int):
    if datetime.timedelta(days=x % 10000).total_seconds() == 86400 * 777:
        return 1
    return 0


def f_date(x: int):
    try:
        d = datetime.date(2000, 1, 1) + datetime.timedelta(days=x)
    except OverflowError:
        return 0
    if d.year == 2017 and d.month == 3 and (d.day == 9):
        return 1
    return 2


def f_weekday(d: datetime.date):
    if d.weekday() == 5 and d.year == 1999 and (d.day == 13):
        return 1
    return 0


def f_strftime(d: datetime.date):
    if d.strftime('%d%m') == '1305':
        return 1
    return 0


def f_iso(d: datetime.date):
    if d.isoformat() == '1999-05-13':
        return 1
    return 0


def f_regex(s: str):
    m = re.fullmatch('(\\d{2})-([a-c]+)', s)
    if m and int(m.group(1)) == 42 and (m[2] == 'cab'):
        return 1
    return 0


PAT = re.compile('(?P<k>\\w+)=(?P<v>\\d+)')


def f_regex2(s: str):
    if (m := PAT.match(s)):
        if m['k'] == 'xy' and m.groupdict()['v'] == '77':
            return 1
    return 0


def f_regex_sub(s: str):
    if re.sub('[aeiou]', '*', s) == 'h*ll*' and 'e' in s:
        return 1
    return 0


def f_regex_dyn(s: str):
    try:
        if re.match(s, 'aaab') and len(s) == 3 and (s[1] == '+'):
            return 1
    except re.error:
        return 2
    return 0


def f_finditer(s: str):
    if [m.start() for m in re.finditer('q', s)] == [2, 5]:
        return 1
    return 0


def f_split(s: str):
    if s.split(',') == ['a', 'b', 'c']:
        return 1
    return 0


def f_partition(s: str):
    h, sep, t = s.partition('::')
    if sep and h == 'ab' and (t == 'cd'):
        return 1
    return 0


def f_rsplit(s: str):
    if s.rsplit(None, 1) == ['a b', 'c']:
        return 1
    return 0


def f_splitlines(s: str):
    if s.splitlines() == ['a', '', 'b']:
        return 1
    return 0


def f_expandtabs(s: str):
    if s.expandtabs(4) == 'a   b':
        return 1
    return 0


def f_center(n: int):
    if 0 <= n < 10000 and len('ab'.center(n, '*')) == 777:
        return 1
    return 0


def f_zfill(n: int):
    if str(n).zfill(6) == '000123':
        return 1
    return 0


def f_encode(s: str):
    if s.encode('utf-8') == b'\xc3\xa9!':
        return 1
    return 0


def f_encode16(s: str):
    if s.encode('utf-16-le', 'ignore') == b'q\x00z\x00':
        return 1
    return 0


def f_decode(b: bytes):
    try:
        if b.decode() == 'é!':
            return 1
    except UnicodeDecodeError:
        return 2
    return 0


def f_casefold(s: str):
    if s.casefold() == 'ss' and s != 'ss' and (len(s) == 1):
        return 1
    return 0


def f_swap(s: str):
    if s.swapcase() == 'aBc':
        return 1
    return 0


def f_title(s: str):
    if s.title() == 'Ab Cd' and s[0] == 'A' and (s[4] == 'd'):
        return 1
    return 0


def f_isident(s: str):
    if s.isidentifier() and len(s) == 3 and (not s.isascii()):
        return 1
    return 0


def f_bytes_idx(b: bytes):
    if len(b) == 3 and b[0] ^ b[1] == 90 and (b[2] > b[0]):
        return 1
    return 0


def f_from_bytes(b: bytes):
    if len(b) == 3 and int.from_bytes(b, 'big') == 1193046:
        return 1
    return 0


def f_to_bytes(x: int):
    if 0 <= x < 2 ** 24 and x.to_bytes(3, 'big') == b'\x124V':
        return 1
    return 0


def f_bitlen(x: int):
    if x.bit_length() == 47 and x.bit_count() == 3:
        return 1
    return 0


def f_bits(x: int):
    if x > 0 and x & x - 1 == 0 and (x >> 20 == 1):
        return 1
    return 0


def f_pow(x: int):
    if pow(x, 2, 1009) == 4 and x > 1000:
        return 1
    return 0


def f_float_round(x: float):
    if round(x, 1) == 123.4 and x != 123.4:
        return 1
    return 0


def f_float_int(x: float):
    if x == x and abs(x) < 1000000000.0 and (int(x) == 12345) and (x != 12345):
        return 1
    return 0


def f_nan(x: float):
    if x != x:
        return 1
    return 0


def f_inf(x: float):
    if x > 1e+308 and x - x != 0:
        return 1
    return 0


def f_rounding(x: float):
    if x + 1.0 == x and x < 1e+300 and (x > 0):
        return 1
    return 0


def f_negzero(x: float):
    if x == 0 and math.copysign(1, x) < 0:
        return 1
    return 0


def f_is_integer(x: float):
    if x.is_integer() and 100000.0 < x < 1000000.0:
        return 1
    return 0


def f_hexf(x: float):
    if x.hex() == '0x1.8000000000000p+10':
        return 1
    return 0


def f_ratio(x: float):
    if x == x and abs(x) < 1e+300 and (x.as_integer_ratio() == (12345, 4)):
        return 1
    return 0


def f_frexp(x: float):
    if math.frexp(x) == (0.75, 11):
        return 1
    return 0


def f_modf(x: float):
    if math.modf(x) == (0.5, 777.0):
        return 1
    return 0


def f_sin(x: float):
    if abs(x) < 100 and math.sin(x) > 0.99999:
        return 1
    return 0


def f_floor(x: float):
    if x == x and abs(x) < 1000000.0 and (math.floor(x) == 777) and (math.ceil(x) == 778):
        return 1
    return 0


def f_fmod(x: float):
    if x == x and abs(x) < 1000000.0 and (math.fmod(x, 7) == 3.5) and (x > 777):
        return 1
    return 0


def f_complex(x: float, y: float):
    if complex(x, y) == 3 + 4j:
        return 1
    return 0


def g_sum_lists(xss: list[list[int]]):
    if len(sum(xss, [])) == 5:
        return 1
    return 0


def g_hash_tuple(x: int):
    if hash((x, 1)) == hash((123456, 1)):
        return 1
    return 0


def g_frozen(x: int):
    if frozenset([x]) in {frozenset([123456])}:
        return 1
    return 0


def g_frozen_get(x: int):
    if {frozenset([123456]): 1}.get(frozenset([x])):
        return 1
    return 0


def g_extend(xs: list[int]):
    l = []
    l.extend(xs)
    if len(l) == 3 and l[2] == 123456:
        return 1
    return 0


def g_iadd(xs: list[int]):
    l = [1]
    l += xs
    if len(l) == 3 and l[2] == 123456:
        return 1
    return 0


def g_slice_assign(xs: list[int]):
    l = [1, 2, 3]
    l[1:2] = xs
    if len(l) == 5:
        return 1
    return 0


def g_star(xs: list[int]):
    a = [0, *xs]
    if len(a) == 4 and a[3] == 123456:
        return 1
    return 0


def g_star_call(xs: list[int]):
    if max(0, *xs) == 123456:
        return 1
    return 0


def g_unpack(xs: list[int]):
    try:
        a, *b = xs
    except ValueError:
        return 2
    if a == 123456 and len(b) == 2:
        return 1
    return 0


def g_insert(xs: list[int]):
    l = [5] * 3
    l[0:0] = xs[::-1]
    if l[0] == 123456:
        return 1
    return 0


def g_tuple(t: tuple[int, str]):
    if t == (123456, 'ab'):
        return 1
    return 0


def g_tuple_cmp(t: tuple[int, int]):
    if (123456, 7) < t < (123456, 9):
        return 1
    return 0


def g_set(s: set[int]):
    if s == {123456, 5}:
        return 1
    return 0


def g_set_ops(s: set[int]):
    if s & {123456} and len(s | {1, 2}) == 3:
        return 1
    return 0


def g_set_sub(s: set[int]):
    if {123456, 4321} <= s:
        return 1
    return 0


def g_dict(d: dict[str, int]):
    if d.get('xyzzy') == 123456:
        return 1
    return 0


def g_dict_items(d: dict[str, int]):
    for k, v in d.items():
        if k == 'ab' and v == 123456:
            return 1
    return 0


def g_dict_sorted(d: dict[str, int]):
    if sorted(d, key=d.get) == ['b', 'a']:
        return 1
    return 0


def g_dict_merge(d: dict[str, int]):
    e = {'a': 1, **d}
    if e['a'] == 123456:
        return 1
    return 0


def g_dict_or(d: dict[str, int]):
    e = {'a': 1} | d
    if e['a'] == 123456:
        return 1
    return 0


def g_kwargs_inner(d: dict[str, int]):

    def h(**kw):
        return kw
    if h(**d) == {'a': 123456}:
        return 1
    return 0


def g_dict_update(d: dict[str, int]):
    e = {'a': 1}
    e.update(d)
    if e['a'] == 123456:
        return 1
    return 0


def g_dict_pop(d: dict[str, int]):
    if d.pop('zz', 0) == 123456 and (not d):
        return 1
    return 0


def g_setdefault(d: dict[str, int]):
    if d.setdefault('zz', 5) == 123456:
        return 1
    return 0


def g_groupby(xs: list[int]):
    import itertools
    if [(k, len(list(g))) for k, g in itertools.groupby(xs)] == [(123, 2), (77, 1)]:
        return 1
    return 0


def g_zip(xs: list[int]):
    if any((a + b == 123456 for a, b in zip(xs, xs[1:]))):
        return 1
    return 0


def g_enumerate(xs: list[int]):
    for i, v in enumerate(xs, 5):
        if i * v == 123456 and i == 6:
            return 1
    return 0


def g_rev(xs: list[int]):
    if list(reversed(xs)) == [1, 22, 333]:
        return 1
    return 0


def g_sorted(xs: list[int]):
    if sorted(xs, reverse=True) == [333, 22, 1] and xs[0] == 22:
        return 1
    return 0


def g_sort_key(xs: list[str]):
    xs.sort(key=len)
    if xs == ['a', 'bb', 'ccc']:
        return 1
    return 0


def g_min_key(xs: list[int]):
    if len(xs) == 2 and min(xs, key=lambda v: -v) == 123456:
        return 1
    return 0


def g_index(xs: list[int]):
    try:
        if xs.index(123456) == 2:
            return 1
    except ValueError:
        return 2
    return 0


def g_count(xs: list[int]):
    if xs.count(123456) == 2:
        return 1
    return 0


def g_neg_slice(xs: list[int]):
    if xs[-1:-4:-1] == [1, 22, 333]:
        return 1
    return 0


def g_str_slice(s: str):
    if s[::-1] == 'yzzyx' and s[1:4:2] == 'yz':
        return 1
    return 0


def g_str_idx(s: str, i: int):
    if 0 <= i < len(s) and s[i] == 'q' and (i == 3):
        return 1
    return 0


def g_join(xs: list[str]):
    if '-'.join(xs) == 'ab-cd':
        return 1
    return 0


def g_join_gen(xs: list[int]):
    if ','.join((str(x) for x in xs)) == '12,34':
        return 1
    return 0


def g_map_str(xs: list[int]):
    if ''.join(map(str, xs)) == '1234' and len(xs) == 2:
        return 1
    return 0


def g_filter(xs: list[int]):
    if list(filter(None, xs)) == [123456]:
        return 1
    return 0


def g_anyall(xs: list[int]):
    if len(xs) == 2 and all((x > 99999 for x in xs)):
        return 1
    return 0


def g_deque(xs: list[int]):
    d = deque(xs, maxlen=2)
    if list(d) == [123456, 7]:
        return 1
    return 0


def g_deque2(xs: list[int]):
    d = deque()
    d.extend(xs)
    d.appendleft(4)
    if len(d) == 3 and d[-1] == 123456:
        return 1
    return 0


def g_global_state(x: int):
    STATE.append(x)
    if STATE[-1] == 123456:
        return 1
    return 0


STATE = []


class Cnt:
    total = 0


def g_class_attr(x: int):
    Cnt.total += x
    if Cnt.total == 123456:
        return 1
    return 0


def g_default(x: int, acc=[]):
    acc.append(x)
    if acc[-1] == 123456:
        return 1
    return 0


def g_varargs(*args: int):
    if len(args) == 2 and args[0] - args[1] == 123456:
        return 1
    return 0


def g_kwargs(**kw: int):
    if kw.get('alpha') == 123456:
        return 1
    return 0


def g_closure(x: int):

    def h(y):
        return lambda z: x + y + z
    if h(1)(2) == 123459:
        return 1
    return 0


def g_gen(n: int):

    def gen():
        i = 0
        while i * i < n:
            yield i
            i += 1
    if n < 200 and len(list(gen())) == 12:
        return 1
    return 0


def g_gen_send(x: int):

    def gen():
        v = (yield 1)
        if v == 123456:
            yield 2
        else:
            yield 3
    g = gen()
    next(g)
    if g.send(x) == 2:
        return 1
    return 0


def g_rec(n: int):
    if n <= 0:
        return 0
    if n > 20:
        return -1
    r = g_rec(n - 1) + n
    if r == 45:
        return 1000
    return r


def g_try(s: str):
    try:
        v = int(s)
    except ValueError:
        return 0
    else:
        if v == -123456:
            return 1
    finally:
        s = ''
    return 2


def g_none(x: Optional[int]):
    if x is None:
        return 1
    if x == 123456:
        return 2
    return 0


def g_union(x: Union[int, str, None]):
    if isinstance(x, str):
        if x == 'xyzzy':
            return 1
    elif x is None:
        return 2
    elif x > 99999:
        return 3
    return 0


def g_match(x: Any):
    match x:
        case 123456:
            return 1
        case 'ab':
            return 2
        case [a, b]:
            return 3
        case {'k': v}:
            return 4
        case None:
            return 5
        case _:
            return 0


def g_match2(xs: list[int]):
    match xs:
        case [1, *rest] if len(rest) == 2 and rest[1] == 123456:
            return 1
        case []:
            return 2
        case [x] if x > 99999:
            return 3
        case _:
            return 0


def g_match_dc(d: D):
    match d:
        case D(123456, 'q'):
            return 1
        case D(a=5):
            return 2
        case _:
            return 0


def g_match_map(d: dict[str, int]):
    match d:
        case {'a': 123456, **rest}:
            return 1 if rest else 2
        case _:
            return 0


def g_match_str(s: str):
    match s.split():
        case ['go', d]:
            return 1 if d == 'n' else 2
        case _:
            return 0


def g_walrus(s: str):
    if (n := len(s)) > 10 and s[n - 1] == 'q':
        return n
    return 0


def g_chain(a: int, b: int):
    if 100 < a < b < 103:
        return 1
    return 0


def g_boolval(a: int, b: int):
    v = a and b or 7
    if v == 123456:
        return 1
    return 0


def g_boolval2(s: str):
    v = s or 'dflt'
    if v == 'xyzzy':
        return 1
    return 0


def g_bool_arith(a: int, b: int):
    if (a > 5) + (b > 7) * 2 == 3:
        return 1
    return 0


def g_bool_idx(a: int):
    if ['x', 'y'][a > 123456] == 'y':
        return 1
    return 0


def g_pct(n: int, s: str):
    if '%03d-%s' % (n, s) == '042-ab':
        return 1
    return 0


def g_fmt(n: int):
    if '{:,}'.format(n) == '1,234,567':
        return 1
    return 0


def g_big(n: int):
    if n == 2 ** 200 + 1:
        return 1
    return 0


def g_loop(n: int):
    t = 0
    for i in range(n):
        if t > 50:
            break
        t += i
    else:
        return t
    return -1


def g_while(n: int):
    c = 0
    while n > 1 and c < 40:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    if c == 17:
        return 1
    return 0


def h_frozen_eq(x: int):
    if frozenset([x]) == frozenset([123456]):
        return 1
    return 0


def h_frozen_sub(x: int):
    a = frozenset([x, 1])
    if a - {1} == {123456}:
        return 1
    return 0


def h_set_iand(x: int):
    s = {x, 1}
    s &= {123456, 2}
    if s:
        return 1
    return 0


def h_match_nested(xss: list[list[int]]):
    match xss:
        case [[a, b], [c]] if a + b + c == 123456:
            return 1
        case [[], *_]:
            return 2
        case _:
            return 0


@dataclasses.dataclass
class Box:
    items: list[int]


def h_match_obj(b: Box):
    match b:
        case Box([1, x, y]) if x == 123456:
            return 1
        case Box(items=[]):
            return 2
        case _:
            return 0


def h_match_dict_list(d: dict[str, list[int]]):
    match d:
        case {'k': [a, b, c]}:
            return 1
        case _:
            return 0
