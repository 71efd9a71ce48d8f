# Precedes code.py and contexts/context.py: runs code, and shows its value.
import ast
import json
import linecache
import os
import sys
import traceback

NAME = "<code"


# The name lets tracebacks show the code's lines, although no file has that name.
def run(source, scope, name):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), scope)
    return eval(compile(ast.Expression(last.value), name, "eval"), scope) if last else None


# A picture (one of PIL, a figure of matplotlib) is also an image of the run, as if the code had saved it.
def draw(value):
    path = os.environ["OUTPUT_DIR"] + "/value.png"
    if type(value).__module__ == "matplotlib.figure":
        value.savefig(path, format="png")
    elif type(value).__module__.split(".")[0] == "PIL":
        value.save(path, format="png")


# {"json": VALUE}, or {"text": REPRESENTATION} if JSON cannot express it. A table of pandas has both: its columns and
# rows, and how pandas shows it.
def shown(value):
    try:
        draw(value)
    except Exception:
        # The value is shown as text.
        pass
    try:
        if type(value).__module__.split(".")[0] == "pandas":
            return json.dumps({"json": json.loads(value.to_json(orient="split", date_format="iso")), "text": repr(value)})
        return json.dumps({"json": value}, allow_nan=False)
    except Exception:
        return json.dumps({"text": repr(value)})


def complain(error):
    trace = error.__traceback__
    while trace and not trace.tb_frame.f_code.co_filename.startswith(NAME):
        trace = trace.tb_next
    told = traceback.TracebackException(type(error), error, trace)
    # The frame in which context.py turned a signal into the error.
    if told.stack and told.stack[-1].name == "interrupt":
        told.stack.pop()
    print("".join(told.format()), end="", file=sys.stderr)
