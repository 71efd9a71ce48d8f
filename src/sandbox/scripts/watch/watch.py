# python3 -c THIS MAX RECURSIVE [EXCLUDE…]: prints the changes in the current directory until it is ended. If RECURSIVE
# is yes, includes the directories below it. EXCLUDE are globs of names to skip, with everything below them.
#
# Prints records. A NUL ends each field. TYPE is d or f; paths are relative to the current directory:
#   ready COUNT                            it watches COUNT directories, and reports every change from now on
#   created|modified|deleted TYPE PATH
#   renamed TYPE FROM TO
#   overflow                               changes were lost; it reports every change from now on
#   full                                   more directories than MAX, or than the kernel watches; the last record
#   gone                                   the current directory was removed or moved; the last record
#
# It watches a directory before it reads the entries, so it misses nothing in a new directory. It does not follow links:
# it opens each directory segment by segment from the current directory, and watches the descriptor.
import ctypes
import errno
import fnmatch
import os
import re
import select
import struct
import sys
import time

MODIFY, ATTRIB, MOVED_FROM, MOVED_TO, CREATE, DELETE, MOVE_SELF = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200, 0x800
OVERFLOW, IGNORED, ONLYDIR, ISDIR = 0x4000, 0x8000, 0x1000000, 0x40000000
MASK = MODIFY | ATTRIB | MOVED_FROM | MOVED_TO | CREATE | DELETE | MOVE_SELF | ONLYDIR

# Changes within this many seconds are printed together, and repeated changes of a path once.
WINDOW_S = 0.1
# How often to check that the directory still exists, if nothing changes.
LOOK_MS = 1_000
# From this many changes on, they are printed without waiting for the end of the window.
MANY = 4096
# The temporary files of write.sh, before they replace a file.
OURS = re.compile(rb"\.snapshotter-[A-Za-z0-9]{10}")

libc = ctypes.CDLL(None, use_errno=True)


class Last(Exception):
    """The watch ends with this record."""


class Watch:
    def __init__(self, most, recursive, exclude):
        self.most, self.recursive, self.exclude = most, recursive, exclude
        self.root = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
        self.records, self.latest = [], {}
        self.begin()

    def begin(self):
        """Watches what there is."""
        self.queue = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.queue < 0:
            raise Last(b"full")
        self.paths = {}
        self.watch(b"", False)

    def open(self, path):
        opened = os.dup(self.root)
        for name in path.split(b"/") if path else ():
            above = opened
            try:
                opened = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
            finally:
                os.close(above)
        return opened

    def watch(self, path, is_new):
        """Watches a directory and those below it, and if it is new tells what is in it."""
        waiting = [path]
        while waiting:
            path = waiting.pop()
            try:
                opened = self.open(path)
            except OSError:
                continue  # It was deleted, or is no longer a directory.
            try:
                self.add(path, opened)
                with os.scandir(opened) as entries:
                    for entry in entries:
                        name = os.fsencode(entry.name)
                        if self.passes_over(name):
                            continue
                        below, is_dir = join(path, name), entry.is_dir(follow_symlinks=False)
                        if is_new:
                            self.tell(b"created", is_dir, below)
                        if is_dir and self.recursive:
                            waiting.append(below)
            except OSError as error:
                if error.errno not in (errno.ENOENT, errno.EACCES, errno.ENOTDIR):
                    raise
            finally:
                os.close(opened)

    def add(self, path, opened):
        watched = libc.inotify_add_watch(self.queue, b"/proc/self/fd/%d" % opened, MASK)
        if watched < 0:
            number = ctypes.get_errno()
            if number == errno.ENOSPC:
                raise Last(b"full")
            raise OSError(number, os.strerror(number))
        self.paths[watched] = path
        if len(self.paths) > self.most:
            raise Last(b"full")

    def passes_over(self, name):
        return any(fnmatch.fnmatchcase(name, glob) for glob in self.exclude)

    def tell(self, what, is_dir, path):
        latest = self.latest.get(path)
        if latest == what or (what == b"modified" and latest == b"created"):
            return
        self.latest[path] = what
        self.records.append([what, b"d" if is_dir else b"f", path])

    def run(self):
        self.records.append([b"ready", b"%d" % len(self.paths)])
        self.flush()
        waiter = select.poll()
        # Watches standard output only for the end of its reader.
        waiter.register(1, 0)
        while True:
            waiter.register(self.queue, select.POLLIN)
            ready = waiter.poll(LOOK_MS)
            if any(descriptor == 1 for descriptor, _ in ready):
                return
            if not ready:
                self.look()
                continue
            queue, end = self.queue, time.monotonic() + WINDOW_S
            overflow = False
            moved = {}
            while True:
                overflow |= self.read(moved)
                left = end - time.monotonic()
                if left <= 0 or len(self.records) >= MANY:
                    break
                select.select([queue], [], [], left)
            # The two halves of a move come right after each other.
            if moved:
                select.select([queue], [], [], 0.01)
                overflow |= self.read(moved)
            for record, is_dir in moved.values():
                if is_dir and record:
                    self.forget(record[2])
            if overflow:
                waiter.unregister(queue)
                os.close(queue)
                self.begin()
                self.records.append([b"overflow"])
            self.flush()

    def look(self):
        """Of a directory that is still held open, the kernel does not tell that it was removed."""
        try:
            os.getcwd()
        except FileNotFoundError:
            raise Last(b"gone") from None

    def read(self, moved):
        """Reads what has happened. Answers whether some of it was lost."""
        lost = False
        while len(self.records) < 2 * MANY:
            try:
                events = os.read(self.queue, 65536)
            except BlockingIOError:
                break
            at = 0
            while at < len(events):
                watched, mask, cookie, size = struct.unpack_from("iIII", events, at)
                name = events[at + 16 : at + 16 + size].rstrip(b"\0")
                at += 16 + size
                if mask & OVERFLOW:
                    lost = True
                elif mask & IGNORED:
                    self.paths.pop(watched, None)
                elif watched in self.paths:
                    self.happened(self.paths[watched], mask, cookie, name, moved)
        return lost

    def happened(self, directory, mask, cookie, name, moved):
        if not name:
            if mask & MOVE_SELF and directory == b"":
                raise Last(b"gone")
            return  # Its parent directory reports the same with a name.
        path, is_dir = join(directory, name), bool(mask & ISDIR)
        if OURS.fullmatch(name):
            if mask & MOVED_FROM:
                moved[cookie] = (None, is_dir)
            return
        if mask & MOVED_TO and cookie in moved:
            return self.moved(*moved.pop(cookie), path, self.passes_over(name))
        if self.passes_over(name):
            return
        if mask & (CREATE | MOVED_TO):
            self.tell(b"created", is_dir, path)
            if is_dir and self.recursive:
                self.watch(path, True)
        elif mask & (MODIFY | ATTRIB):
            self.tell(b"modified", is_dir, path)
        elif mask & DELETE:
            self.tell(b"deleted", is_dir, path)
        elif mask & MOVED_FROM:
            # Without its other half, the entry has left the directory.
            self.tell(b"deleted", is_dir, path)
            moved[cookie] = (self.records[-1], is_dir)

    def moved(self, left, is_dir, path, passed_over):
        if left is None:
            return passed_over or self.tell(b"modified", is_dir, path)
        if passed_over:
            return self.forget(left[2]) if is_dir else None
        source = left[2]
        self.records[:] = [record for record in self.records if record is not left]
        self.latest.pop(source, None)
        self.latest[path] = b"renamed"
        self.records.append([b"renamed", left[1], source, path])
        if is_dir:
            below = source + b"/"
            for watched, known in list(self.paths.items()):
                if known == source or known.startswith(below):
                    self.paths[watched] = path + known[len(source) :]

    def forget(self, path):
        """Watches a directory that has left no longer, nor those below it."""
        below = path + b"/"
        for watched, known in list(self.paths.items()):
            if known == path or known.startswith(below):
                del self.paths[watched]
                libc.inotify_rm_watch(self.queue, watched)

    def flush(self):
        printed = b"".join(field + b"\0" for record in self.records for field in record)
        self.records.clear()
        self.latest.clear()
        while printed:
            printed = printed[os.write(1, printed) :]


def join(directory, name):
    return directory + b"/" + name if directory else name


def main(most, recursive, *exclude):
    watch = None
    try:
        watch = Watch(int(most), recursive == "yes", [os.fsencode(glob) for glob in exclude])
        watch.run()
    except Last as last:
        if watch:
            watch.flush()
        os.write(1, last.args[0] + b"\0")
    except BrokenPipeError:
        pass  # The reader is gone.


main(*sys.argv[1:])
