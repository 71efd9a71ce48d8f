# python3 -c THIS DIR IDLE: runs the code of one call after another, in one module __main__. context.sh describes how
# calls arrive.
#
# A call's directory has its code, the FIFOs stdout and stderr, and the directory out. This program writes the code's
# value to the file result, as value.py shows it, and last of all the file done: 0 if the code succeeded, 1 if it
# failed, or 130 if it was interrupted. What background threads print between two calls goes to the log of the process.
#
# The code may do anything to this process. Everything that it could close, replace or fork is opened, set or checked
# again for each call. run_in_context.sh notices what the code breaks nevertheless.
import os
import select
import signal
import types

OWN = os.getpid()
runs = False


def interrupt(_signal, _frame):
    global runs
    if runs:
        # Only once for each call: a second signal must not hit the lines below.
        runs = False
        raise KeyboardInterrupt


def main(directory, idle):
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [""]
    number = 0
    write(directory + "/ready", "")
    while True:
        for call in next_calls(directory, idle):
            number += 1
            serve(directory, call, module.__dict__, f"{NAME} {number}>")


# Opens the FIFO for each wait, because code may close any descriptor; for reading and writing, so that it never ends.
def next_calls(directory, idle):
    pipe = os.open(directory + "/requests", os.O_RDWR)
    try:
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        if not poll.poll(idle * 1000):
            write(directory + "/why", "idle")
            os._exit(0)
        asked = b""
        while not asked.endswith(b"\n"):
            asked += os.read(pipe, 4096)
        return asked.decode().splitlines()
    finally:
        os.close(pipe)


def serve(directory, call, scope, name):
    try:
        # Fails, and does not wait, if nobody reads any more.
        point(1, call + "/stdout", os.O_WRONLY | os.O_NONBLOCK)
        point(2, call + "/stderr", os.O_WRONLY | os.O_NONBLOCK)
        with open(call + "/code", encoding="utf-8") as file:
            source = file.read()
    except OSError:
        return
    write(directory + "/running", call)
    os.environ["OUTPUT_DIR"] = call + "/out"
    signal.signal(signal.SIGINT, interrupt)
    renew_streams()
    status = outcome(call, source, scope, name)
    flush()
    if os.getpid() != OWN:
        # The code forked, and this is the child.
        os._exit(status)
    for descriptor in (1, 2):
        point(descriptor, directory + "/log", os.O_WRONLY | os.O_APPEND)
    # The next call must not print what a broken pipe left.
    flush()
    os.unlink(directory + "/running")
    write_for_caller(call + "/done", str(status))


def outcome(call, source, scope, name):
    global runs
    try:
        return attempt(call, source, scope, name)
    except KeyboardInterrupt:
        # The interrupt came when the code had just ended.
        return 130
    finally:
        runs = False


def attempt(call, source, scope, name):
    global runs
    try:
        runs = True
        value = run(source, scope, name)
        # Showing the value may run the code's own methods.
        text = None if value is None else shown(value)
        runs = False
    except SystemExit as error:
        runs = False
        leave(error.code)
    except BaseException as error:
        runs = False
        try:
            complain(error)
        except Exception:
            # The code has closed or replaced sys.stderr, or its own error can't be shown.
            pass
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    if text is not None and os.getpid() == OWN:
        write_for_caller(call + "/result", text)
    return 0


# exit() ends the interpreter. Threads that still run must not keep it running.
def leave(code):
    if not (code is None or isinstance(code, int)):
        print(code, file=sys.stderr)
    flush()
    os._exit(0 if code is None else code & 255 if isinstance(code, int) else 1)


# Lines are sent when they are complete. Closing a stream does not close its descriptor.
def renew_streams():
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is getattr(sys, f"__{name}__") or getattr(stream, "closed", False):
            errors = "strict" if descriptor == 1 else "backslashreplace"
            setattr(sys, name, open(descriptor, "w", buffering=1, errors=errors, closefd=False))


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def point(descriptor, path, flags):
    opened = os.open(path, flags)
    os.set_blocking(opened, True)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)


def write_for_caller(path, text):
    try:
        write(path, text)
    except OSError:
        # The caller has given up and removed the directory, or the disk is full.
        pass


# The file appears only when it is complete.
def write(path, text):
    with open(path + ".new", "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text + "\n")
    os.replace(path + ".new", path)


main(sys.argv[1], int(sys.argv[2]))
