"""A module with one of each kind of branch; the golden file next to it lists their ids."""

import os


def conditions(a, b, c):
    if a:
        return 1
    elif b and not c or a:
        return 2
    while a < b <= c:
        a += 1 if b else 2
    else:
        a = 0
    while True:
        if a or \
           b:
            break
    assert a, "never" if b else "always"
    return (a or b) and (b or c)


class Container(list if os.name == "posix" else object):
    flag = True and os.sep == "/"

    @property
    def total(self):
        return sum(x if x else y for x in self if x > 1 if x < 9 for y in x)

    async def drain(self, queue=None or 3):
        async for item in queue:
            async with item as opened, item:
                yield [x async for x in opened if x and item]
        else:
            yield {k: v for k, v in queue.items() if k or v}


def exceptions(path):
    try:
        with open(path) as file, open(path):
            return file.read()
    except (OSError, ValueError) as error:
        raise error
    except KeyError:
        pass
    except:
        raise
    else:
        path = lambda p=path or 1: p and p.strip()
    finally:
        for part in path:
            if part:
                continue
    try:
        pass
    except* OSError:
        path and path
    except* ValueError:
        pass


def matching(command):
    match command:
        case [x, y] if x > y > 0:
            return x
        case {"k": 1} | {"k": 2}:
            return 2
        case str() if command:
            return 3
        case other:
            return other


def texts(a, b):
    plain = f"{a and b} {a if b else 'é'!r:>{a or 10}}"
    joined = ("é" f"{a or b}"
              f"{ a and b }" 'x')
    return plain + joined + f"""
    {a and b}
      é {[x for x in a if x]} {(a
        or b)}
    """
