"""Changes the tree in the working directory at random, or describes it. The tests of layers run it as root.

layers.py change SEED COUNT: makes COUNT changes. layers.py describe: prints all that a snapshot keeps of the tree.
"""

import hashlib
import os
import random
import shutil
import socket
import stat
import sys

ODD = [b" lead", b"trail ", b"quo\"te", b"ap'os", b"back\\slash", b"st*r", b"[x]", b"(a|b)", b"!not", b"#hash", b"... dots",
       b"-dash", b"tab\there", b"\xff\xfe", "é".encode(), b"a -> b", b">", b"$HOME", b"c--------- 0", b"%s"]


def walk(top=b"."):
    """All paths below top, parents first."""
    for name in sorted(os.listdir(top)):
        path = os.path.join(top, name)
        yield path
        if stat.S_ISDIR(os.lstat(path).st_mode):
            yield from walk(path)


class Changes:
    def __init__(self, seed):
        self.dice = random.Random(seed)

    def some(self, kinds):
        paths = [path for path in walk() if stat.S_IFMT(os.lstat(path).st_mode) in kinds]
        return self.dice.choice(paths) if paths else None

    def directory(self):
        return self.some([stat.S_IFDIR]) if self.dice.random() < 0.8 else b"."

    def name(self):
        if self.dice.random() < 0.01:
            return b"line\nend"
        if self.dice.random() < 0.2:
            return self.dice.choice(ODD)
        return b"n%d" % self.dice.randrange(60)

    def new(self):
        """A path at which nothing is."""
        while True:
            path = os.path.join(self.directory() or b".", self.name())
            if not os.path.lexists(path):
                return path

    def content(self):
        size = self.dice.choice([0, 1, 100, 5000, 20000, 140000])
        return (b"%d " % self.dice.randrange(100)) * (size // 4) + self.dice.randbytes(min(size, 3000))

    def file(self):
        return self.some([stat.S_IFREG])

    def anything(self):
        return self.some([stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK, stat.S_IFIFO])

    def remove(self, path):
        if stat.S_ISDIR(os.lstat(path).st_mode):
            shutil.rmtree(path)
        else:
            os.unlink(path)

    # Each method below is a kind of change.

    def create(self):
        with open(self.new(), "wb") as file:
            file.write(self.content())

    def make_sparse(self):
        with open(self.new(), "wb") as file:
            file.seek(300_000)
            file.write(b"end")
            file.truncate(500_000)

    def edit(self):
        path = self.file()
        before = os.lstat(path)
        with open(path, "r+b") as file:
            change = self.dice.randrange(3)
            if change == 0:
                file.seek(self.dice.randrange(before.st_size + 1))
                file.write(b"edit")
            elif change == 1:
                file.truncate(before.st_size // 2)
            else:
                file.seek(0, 2)
                file.write(b"more")
        if self.dice.random() < 0.5:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def replace(self):
        path = self.file()
        new = self.new()
        with open(new, "wb") as file:
            file.write(self.content())
        os.rename(new, path)

    def remove_some(self):
        path = self.anything()
        if stat.S_ISDIR(os.lstat(path).st_mode) and self.dice.random() < 0.7:
            return
        self.remove(path)

    def file_to_directory(self):
        path = self.file()
        os.unlink(path)
        os.mkdir(path)
        for count in range(self.dice.randrange(3)):
            with open(os.path.join(path, b"n%d" % count), "wb") as file:
                file.write(self.content())

    def directory_to_other(self):
        path = self.some([stat.S_IFDIR])
        if path is None or self.dice.random() < 0.5:
            return
        shutil.rmtree(path)
        kind = self.dice.randrange(3)
        if kind == 0:
            os.symlink(self.dice.choice([b"/etc", b"n1", b"../x//y", b"."]), path)
        elif kind == 1:
            open(path, "wb").close()
        else:
            os.mkdir(path)
            open(os.path.join(path, b"n1"), "wb").close()

    def make_directory(self):
        os.makedirs(os.path.join(self.new(), b"in") if self.dice.random() < 0.5 else self.new())

    def move(self):
        path, to = self.anything(), self.new()
        if not to.startswith(path + b"/"):
            os.rename(path, to)

    def exchange(self):
        one, other = self.anything(), self.anything()
        if one != other and not one.startswith(other + b"/") and not other.startswith(one + b"/"):
            between = self.new()
            if between.startswith((one + b"/", other + b"/")):
                return
            os.rename(one, between)
            os.rename(other, one)
            os.rename(between, other)

    def change_mode(self):
        path = self.dice.choice([self.some([stat.S_IFREG, stat.S_IFDIR]), b"."])
        os.chmod(path, self.dice.choice([0o000, 0o444, 0o555, 0o600, 0o644, 0o755, 0o1777, 0o2755, 0o4711]))

    def change_owner(self):
        path = self.dice.choice([self.anything(), b"."])
        os.chown(path, self.dice.choice([0, 1000, 70000]), self.dice.choice([0, 1000]), follow_symlinks=False)

    def change_attribute(self):
        path = self.dice.choice([self.some([stat.S_IFREG, stat.S_IFDIR]), b"."])
        for name in os.listxattr(path):
            if self.dice.random() < 0.7:
                os.removexattr(path, name)
        if self.dice.random() < 0.6:
            os.setxattr(path, b"user.n%d" % self.dice.randrange(3), self.dice.randbytes(self.dice.choice([0, 5, 300])))

    def change_time(self):
        path = self.dice.choice([self.anything(), b"."])
        time_ns = self.dice.choice([0, 1, 1_000_000_000, 1_700_000_000]) * 1_000_000_000 + self.dice.choice([0, 5])
        os.utime(path, ns=(time_ns, time_ns), follow_symlinks=False)

    def link(self):
        os.link(self.some([stat.S_IFREG, stat.S_IFLNK, stat.S_IFIFO]), self.new(), follow_symlinks=False)

    def symlink(self):
        os.symlink(self.dice.choice([b"n1", b"/etc/passwd", b"a//b", b"> x", b"gone", b"x" * 300]), self.new())

    def retarget(self):
        path = self.some([stat.S_IFLNK])
        if path is not None:
            os.unlink(path)
            os.symlink(b"target%d" % self.dice.randrange(9), path)

    def make_pipe(self):
        os.mkfifo(self.new())

    def make_socket(self):
        if self.dice.random() < 0.3:
            os.mknod(self.new(), stat.S_IFSOCK | 0o600)

    def change(self):
        kinds = [name for name, what in vars(Changes).items() if callable(what)]
        kinds = kinds[kinds.index("create"):-1]
        try:
            getattr(self, self.dice.choice(kinds))()
        except TypeError:
            # There is nothing of that kind.
            pass


def describe():
    names = {}
    for path in [b"."] + list(walk()):
        found = os.lstat(path)
        kind = stat.S_IFMT(found.st_mode)
        first = names.setdefault((found.st_dev, found.st_ino), path)
        facts = [path, oct(found.st_mode), found.st_uid, found.st_gid, int(found.st_mtime), found.st_rdev]
        if kind != stat.S_IFDIR:
            facts += [found.st_size, found.st_nlink, first]
        if kind == stat.S_IFLNK:
            facts.append(os.readlink(path))
        if kind == stat.S_IFREG:
            with open(path, "rb") as file:
                facts += [hashlib.file_digest(file, "sha256").hexdigest(), found.st_blocks * 512 < found.st_size]
        if kind in (stat.S_IFREG, stat.S_IFDIR):
            facts.append(sorted((name, os.getxattr(path, name)) for name in os.listxattr(path)))
        print(*facts)


if sys.argv[1] == "describe":
    describe()
else:
    changes = Changes(int(sys.argv[2]))
    for _ in range(int(sys.argv[3])):
        changes.change()
