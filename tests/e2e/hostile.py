"""Makes a tree of everything that file systems allow and programs forget, under the directory given."""

import os
import sys
import time

root = os.fsencode(sys.argv[1])
os.makedirs(root, exist_ok=True)
os.chdir(root)


def write(name, content=b"x\n", mode=0o644):
    with open(name, "wb") as file:
        file.write(content)
    os.chmod(name, mode)


# Names: not UTF-8, blank, or with characters that a shell or an option parser would interpret.
os.mkdir(b"names")
for name in [
    b"\xff\xfe\x80 not utf-8", b"\xc3\x28", b"caf\xc3\xa9", "日本語".encode(), b" leading and trailing ", b"new\nline", b"tab\there", b"-rf",
    b"--help", b"-", b"~", b"*", b"?[a-z]", b"$(touch gone)", b"`touch gone`", b"; touch gone", b"'quoted'", b'"double"', b"back\\slash",
    b"a'b\"c", b"#comment", b"..hidden", b"...", b"x" * 255, b"\x01\x1b[31mred", b"%2e%2e", b"{a,b}", b"!history", b"&& exit",
]:
    write(b"names/" + name, b"named " + name)
os.mkdir(b"names/dir \xff with\nline")
write(b"names/dir \xff with\nline/inside")
os.makedirs(b"deep/" + b"/".join([b"d" * 60] * 40))

# Links: in and out of the tree, to nothing, to itself and to odd names.
os.mkdir(b"links")
for name, target in [
    (b"in", b"../names/-rf"), (b"out", b"/etc/passwd"), (b"up", b"../../../../etc"), (b"dangling", b"nothing here"), (b"self", b"self"),
    (b"dir", b"../names"), (b"odd", b"\xff\n -"), (b"long", b"t" * 1000), (b"root", b"/"),
]:
    os.symlink(target, b"links/" + name)
write(b"links/hard", b"one inode\n")
os.link(b"links/hard", b"links/hard too")
os.link(b"links/hard", b"names/hard elsewhere")
os.link(b"links/dangling", b"links/dangling too", follow_symlinks=False)

# Empty directories, and directories that nobody may enter.
os.makedirs(b"empty/in/empty")
os.mkdir(b"sticky")
os.chmod(b"sticky", 0o1777)
os.mkdir(b"locked")
write(b"locked/inside")
os.chmod(b"locked", 0)
os.mkdir(b"setgid")
os.chmod(b"setgid", 0o2755)

# Every mode bit, and owners that the image does not know.
os.mkdir(b"modes")
for mode in [0o000, 0o001, 0o111, 0o200, 0o444, 0o600, 0o755, 0o777, 0o1644, 0o2755, 0o4755, 0o6711, 0o7777]:
    write(b"modes/%04o" % mode, b"mode %o" % mode, mode)
os.mkdir(b"owners")
for uid, gid in [(0, 0), (1000, 1000), (1000, 0), (65534, 65534), (4000000000, 3)]:
    write(b"owners/%d-%d" % (uid, gid))
    os.chown(b"owners/%d-%d" % (uid, gid), uid, gid)
os.symlink(b"nobody's", b"owners/link")
os.lchown(b"owners/link", 1000, 1000)
os.chown(b"owners", 1000, 1000)

# Special files.
os.mkfifo(b"fifo", 0o640)

# Sizes around blocks and fragments, repeated content, holes.
os.mkdir(b"sizes")
for size in [0, 1, 4095, 4096, 4097, 131071, 131072, 131073, 1 << 20]:
    write(b"sizes/%d" % size, bytes(i * 7 % 251 for i in range(size)))
write(b"sizes/zeros", bytes(300_000))
write(b"sizes/copy", bytes(300_000))

# Times: long ago, the epoch, and one near the end of SquashFS's range.
os.mkdir(b"times")
for seconds in [0, 1, 86_400, 946_684_799, 1_767_323_045, 2**32 - 2]:
    write(b"times/%d" % seconds)
    os.utime(b"times/%d" % seconds, (seconds, seconds))
os.utime(b"links/dangling", (1_000_000_000, 1_000_000_000), follow_symlinks=False)
os.utime(b"empty/in/empty", (1_000_000_001, 1_000_000_001))
os.utime(b"empty", (1_000_000_002, 1_000_000_002))

# The directory itself.
os.chmod(b".", 0o2750)
os.chown(b".", 1000, 1000)
os.utime(b".", (time.time() - 1000, 1_234_567_890))
