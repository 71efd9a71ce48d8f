# python3 -c THIS DIR: runs the file DIR/code. If its last statement is an expression, writes the value to DIR/result,
# as value.py shows it. None counts as no value.
#
# The code runs as the module __main__, named <code> in tracebacks. It can import modules of the current directory.
import types


def main(directory):
    with open(directory + "/code", encoding="utf-8") as file:
        source = file.read()
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    sys.argv = [NAME + ">"]
    try:
        value = run(source, module.__dict__, NAME + ">")
    except Exception as error:
        complain(error)
        return 1
    if value is not None:
        with open(directory + "/result", "w", encoding="utf-8") as file:
            file.write(shown(value))
    return 0


sys.exit(main(sys.argv[1]))
