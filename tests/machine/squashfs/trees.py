"""Makes random trees, and prints the extended attributes of trees. Answers one line of stdin at a time:

make SEED BLOCK_SIZE DIRECTORY   a tree that follows from the seed, with sizes around those of blocks
xattrs DIRECTORY                 a line for each attribute: path, name and value in hexadecimal

Each answer ends with an empty line.
"""

import os
import random
import shutil
import stat
import sys

NAMES = [
    b"\xff\xfe", b"caf\xc3\xa9", b" ", b"new\nline", b"-rf", b"*", b"$(x)", b"'", b"back\\slash", b"#", b"...", b"\x01\x1b[31mred",
    b"\x7f", b"a" * 255, b"\x80" * 255, b"A", b"a", b"a.b", b"a b", b"a-b", b"a\x01", b"\xc3\x28", b"squashfs-root",
]
MODES = [0, 0o001, 0o111, 0o200, 0o444, 0o600, 0o644, 0o755, 0o777, 0o1777, 0o2755, 0o4755, 0o6711, 0o7777]
OWNERS = [0, 1, 1000, 65534, 65535, 65536, 4_000_000_000]
TIMES = [0, 1, 946_684_799, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 2, 2**32 - 1]


class Tree:
    def __init__(self, seed, block):
        self.random = random.Random(seed)
        self.block = block
        self.left_bytes = 6 << 20
        self.texts = [self.random.randbytes(500) for _ in range(3)]
        self.values = [self.random.randbytes(size) for size in [0, 1, 10, 127, 128, 129, 900, 1500]]
        self.linkable = []
        self.has_xattrs = self.chance(2)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def make(self, root):
        os.mkdir(root)
        os.chdir(root)
        self.directory(4, self.random.choice([0, 1, 5, 20]))
        if self.chance(12):
            self.crowd(self.random.choice([255, 256, 257, 700, 3000]))
        if self.chance(8):
            self.nest(self.random.choice([10, 40]))
        self.finish(b".")

    def directory(self, levels, count):
        """Fills the current directory: paths may be longer than the kernel takes."""
        for _ in range(count):
            name = self.name()
            if os.path.lexists(name):
                continue
            kind = self.random.randrange(16)
            if kind < 6:
                self.file(name)
            elif kind < 9 and levels:
                os.mkdir(name)
                os.chdir(name)
                self.directory(levels - 1, self.random.choice([0, 1, 3, 12]))
                os.chdir(b"..")
            elif kind == 9:
                os.symlink(self.random.choice([b"x", b"..", b"\xff\n", b"t" * 255, b"t/" * 2000]), name)
            elif kind == 10 and self.linkable:
                os.link(os.path.join(self.random.choice(self.linkable)), name, follow_symlinks=False)
                continue
            elif kind == 11:
                os.mkfifo(name)
            elif kind == 12:
                os.mknod(name, stat.S_IFSOCK | 0o600)
            elif kind == 13:
                device = os.makedev(self.random.choice([1, 8, 255, 4095]), self.random.choice([0, 3, 255, 256, 70_000]))
                os.mknod(name, self.random.choice([stat.S_IFBLK, stat.S_IFCHR]) | 0o600, device)
            else:
                with open(name, "wb"):
                    pass
            self.finish(name)

    def name(self):
        if self.chance(4):
            return self.random.choice(NAMES)
        return b"%x" % self.random.randrange(10 ** self.random.randrange(1, 12))

    def finish(self, name):
        is_link = os.path.islink(name)
        os.chown(name, self.random.choice(OWNERS), self.random.choice(OWNERS), follow_symlinks=False)
        if not is_link:
            os.chmod(name, self.random.choice(MODES))
        if self.has_xattrs and self.chance(3) and (os.path.isfile(name) or os.path.isdir(name)) and not is_link:
            for number in range(self.random.choice([1, 1, 2, 5])):
                key = self.random.choice([b"user.x%d" % number, b"user." + b"n" * 200 + b"%d" % number, b"user.\xff\n%d" % number])
                os.setxattr(name, key, self.random.choice(self.values[:6] if number > 1 else self.values))
        seconds = self.random.choice(TIMES + [self.random.randrange(2**32)])
        os.utime(name, (0, seconds), follow_symlinks=False)
        if not os.path.isdir(name) or is_link:
            self.linkable.append(os.path.abspath(name))

    def file(self, name):
        blocks = self.random.choice([0, 0, 0, 1, 1, 2, 3, 10])
        size = max(0, blocks * self.block + self.random.choice([-1, 0, 1, 7, self.block // 2, self.random.randrange(self.block)]))
        if self.chance(40):
            size = self.random.randrange(64 << 20)
        if size > self.left_bytes and size <= 10 * self.block + self.block:
            size %= self.block
        with open(name, "wb") as file:
            if size > 4 << 20 and size > 11 * self.block:
                for _ in range(3):
                    file.seek(self.random.randrange(size))
                    file.write(b"an island")
                file.truncate(size)
                return
            self.left_bytes -= size
            kind = self.random.randrange(5)
            if kind == 0:
                file.write(self.random.randbytes(size))
            elif kind == 1:
                file.write((self.random.choice(self.texts) * (size // 500 + 1))[:size])
            elif kind == 2:
                file.write(bytes(size))
            elif kind == 3:
                file.truncate(size)
            else:
                # Blocks that are holes, equal, of text, or random.
                for start in range(0, size, self.block):
                    length = min(self.block, size - start)
                    content = self.random.choice([bytes(length), b"e" * length, self.texts[0] * (length // 500 + 1), self.random.randbytes(length)])
                    file.write(content[:length])

    def crowd(self, count):
        os.mkdir(b"crowd")
        for number in range(count):
            name = b"crowd/%s%d" % (b"entry" * self.random.choice([1, 1, 20]), number)
            if self.chance(2):
                os.mkfifo(name)
            else:
                with open(name, "wb") as file:
                    file.write(b"%d" % number)

    def nest(self, levels):
        for _ in range(levels):
            name = b"nested" * self.random.choice([1, 10])
            os.mkdir(name)
            os.chdir(name)
            if self.chance(3):
                self.file(b"f")
        for _ in range(levels):
            os.chdir(b"..")


def make(seed, block, directory):
    if os.path.lexists(directory):
        shutil.rmtree(directory)
    Tree(int(seed), int(block)).make(directory)
    os.chdir("/")


def xattrs(directory):
    directory = os.fsencode(directory)
    paths = [(b"", directory)]
    for parent, names, files in os.walk(directory):
        paths.extend((os.path.relpath(path, directory), path) for path in [os.path.join(parent, name) for name in names + files])
    for shown, path in paths:
        for name in os.listxattr(path, follow_symlinks=False):
            value = os.getxattr(path, name, follow_symlinks=False)
            print(f"{shown.hex()} {os.fsencode(name).hex()} {value.hex()}")


for line in sys.stdin:
    verb, *arguments = line.split()
    {"make": make, "xattrs": xattrs}[verb](*arguments)
    print(flush=True)
