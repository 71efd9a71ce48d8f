# python3 -c THIS DIR: runs the file DIR/code. If its last statement is an expression, writes the value to DIR/result:
# {"json": VALUE}, or {"text": REPRESENTATION} if JSON cannot express it. None counts as no value.
#
# The code runs as the module __main__, named <code> in tracebacks. It can import modules of the current directory.
import ast
import json
import linecache
import sys
import traceback
import types

NAME = "<code>"


def main(directory):
    with open(directory + "/code", encoding="utf-8") as file:
        source = file.read()
    # Lets tracebacks show its lines, although no file has that name.
    linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [NAME]
    try:
        value = run(source, module.__dict__)
    except Exception as error:
        traceback.print_exception(type(error), error, below_this_file(error.__traceback__))
        return 1
    if value is not None:
        with open(directory + "/result", "w", encoding="utf-8") as file:
            file.write(shown(value))
    return 0


def run(source, scope):
    tree = ast.parse(source, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NAME, "exec"), scope)
    return eval(compile(ast.Expression(last.value), NAME, "eval"), scope) if last else None


def shown(value):
    try:
        return json.dumps({"json": value}, allow_nan=False)
    except Exception:
        return json.dumps({"text": repr(value)})


def below_this_file(trace):
    while trace and trace.tb_frame.f_code.co_filename != NAME:
        trace = trace.tb_next
    return trace


sys.exit(main(sys.argv[1]))
