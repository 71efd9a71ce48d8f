"""generate.py DIRECTORY: writes generated/ of the package there, from docs/openapi.json and asynchronous.py.

`generated/sync.py` is asynchronous.py without its `async` and `await`. The other files have the types, the operations,
the method for each of them, and a class for each error code.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src/snapshotter_client"
HEADER = "# Made from docs/openapi.json by clients/generate.sh.\n"

DOCUMENT: dict[str, Any] = json.loads((HERE / "../../docs/openapi.json").read_text())
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
OPERATIONS: list[tuple[str, str, dict[str, Any]]] = sorted(
    ((method.upper(), path, operation) for path, item in DOCUMENT["paths"].items() for method, operation in item.items()),
    key=lambda found: str(found[2]["operationId"]),
)

# Options of a call, which stand beside the optional arguments of its operation, by the header that they need.
CALL_OPTIONS = {
    None: {"deadline": {"type": "number", "description": "Seconds after which the call is given up. Of a stream: its longest silence."}},
    "Idempotency-Key": {"idempotency_key": {"type": "string", "description": "A repetition under it gets the first answer. Default: a new one."}},
    "Operation-Id": {"operation_id": {"type": "string", "description": "Name to `cancel` the call by."}},
    "If-Match": {"expected_active": {"type": "string", "description": "Only while this workspace, by id, is the active one."}},
}

# Arguments that the document does not require, and the client's methods always pass.
POSITIONAL = {"downloadSnapshotFile": ["path"], "searchSnapshot": ["pattern"], "workspace_ls": ["path"]}

SYNC = {
    r"\basync (def|for|with)\b": r"\1",
    r"\bawait ": "",
    r"\bAwaitable\[(\w+)\]": r"\1",
    r"\bAwaitable, ": "",
    r"\bAsyncGenerator\[(.+), None\]": r"Generator[\1, None, None]",
    r"\bAsync(Snapshotter|Session|InWorkspace|Workspace|Forks|Pages|Transport|Client|Iterator|Iterable|Generator)\b": r"\1",
    r"\ba(close|closing|read|iter_bytes)\b": r"\1",
    r"\b__a(iter|enter|exit)__\b": r"__\1__",
    r"\basync_io\b": "sync_io",
}


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True)
    (directory / "__init__.py").write_text("")
    (directory / "operations.py").write_text(operations())
    (directory / "methods.py").write_text(methods())
    (directory / "errors.py").write_text(errors())
    (directory / "sync.py").write_text(sync())
    write_types(directory / "types.py")


def write_types(file: Path) -> None:
    """The types of arguments and answers, with those that `operations` has added."""
    with tempfile.TemporaryDirectory() as scratch:
        document = Path(scratch, "openapi.json")
        document.write_text(json.dumps({"openapi": "3.1.0", "info": DOCUMENT["info"], "paths": {}, "components": {"schemas": SCHEMAS}}))
        options = """
            --input-file-type openapi --output-model-type typing.TypedDict --target-python-version 3.11
            --use-union-operator --use-standard-collections --enum-field-as-literal all --no-use-closed-typed-dict
            --use-schema-description --use-field-description --disable-timestamp --formatters builtin
        """.split()
        files = ["--input", str(document), "--output", str(file), "--custom-file-header", HEADER.strip()]
        subprocess.run([sys.executable, "-W", "ignore", "-m", "datamodel_code_generator", *options, *files], check=True)


def operations() -> str:
    """How each operation is called: required arguments are positional in the client, optional ones are keywords."""
    rows = []
    for method, path, operation in OPERATIONS:
        name = str(operation["operationId"])
        headers = [parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "header"]
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        required, optional = arguments(operation, body)
        for header, option in CALL_OPTIONS.items():
            # Those that have it as an argument need no header.
            if (header is None or header in headers) and not (header == "If-Match" and "expectedActive" in optional):
                optional |= option
        if "101" in operation["responses"]:
            # A WebSocket, which httpx does not have.
            continue
        title = pascal(name)
        SCHEMAS[f"{title}Options"] = {"type": "object", "properties": optional, "description": f"Keyword arguments of `{name}`."}
        if required:
            SCHEMAS[f"{title}Required"] = {"type": "object", "properties": required, "required": list(required)}
        types = [f"types.{title}Required" if required else "Nothing", f"types.{title}Options", answer(operation)]
        values = [f'"{method}"', f'"{path}"']
        values += [f"{flag}=True" for flag, holds in [("json", body), ("keyed", "Idempotency-Key" in headers), ("named", "Operation-Id" in headers)] if holds]
        rows.append(f"{snake(name)}: Operation[{', '.join(types)}] = Operation({', '.join(values)})\n")
    imports = "from typing import Any\n\nfrom ..core import Nothing, Operation\nfrom . import types\n"
    return f"{HEADER}{imports}\n{''.join(rows)}"


def arguments(operation: dict[str, Any], body: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of required and of optional arguments."""
    if body:
        schema = body["schema"]
        schema = SCHEMAS[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
        properties, names = schema.get("properties", {}), schema.get("required", []) + POSITIONAL.get(operation["operationId"], [])
    else:
        query = [parameter for parameter in operation.get("parameters", []) if parameter["in"] == "query"]
        properties = {parameter["name"]: {**parameter["schema"], "description": parameter.get("description", "")} for parameter in query}
        names = POSITIONAL.get(operation["operationId"], [])
    required = {name: properties[name] for name in names}
    # `from` is a word of Python.
    optional = {"from_" if name == "from" else name: schema for name, schema in properties.items() if name not in names}
    return required, optional


def answer(operation: dict[str, Any]) -> str:
    response = operation["responses"].get("200") or operation["responses"]["201"]
    schema = response.get("content", {}).get("application/json", {}).get("schema", {})
    return f"types.{schema['$ref'].split('/')[-1]}" if "$ref" in schema else "Any"


def errors() -> str:
    codes = [(choice["const"], " ".join(choice["description"].split())) for choice in SCHEMAS["ErrorCode"]["oneOf"]]
    classes = "".join(f'\n\nclass {pascal(code.lower())}Error(SnapshotterError):\n    """`{code}`: {text}"""\n' for code, text in codes)
    rows = "".join(f'    "{code}": {pascal(code.lower())}Error,\n' for code, _ in codes)
    names = "".join(f'    "{pascal(code.lower())}Error",\n' for code, _ in codes)
    imports = "from ..errors import SnapshotterError\nfrom .types import ErrorCode\n"
    return f"{HEADER}{imports}\n__all__ = [\n{names}]\n{classes}\n\nERRORS: dict[ErrorCode, type[SnapshotterError]] = {{\n{rows}}}\n"


def methods() -> str:
    """The session's method for each operation: the first that calls it."""
    ids = {snake(str(operation["operationId"])): str(operation["operationId"]) for _, _, operation in OPERATIONS}
    text = (PACKAGE / "asynchronous.py").read_text().split("\nclass AsyncInWorkspace")[1].split("\nclass AsyncSnapshotter")[0]
    found: dict[str, str] = {}
    for method in re.split(r"\n    (?:async )?def ", text)[1:]:
        for name in re.findall(r"\bop\.(\w+)\(", method):
            found.setdefault(ids[name], method.split("(")[0])
    rows = "".join(f'    "{name}": "{method}",\n' for name, method in sorted(found.items()))
    return f"# Made from asynchronous.py by clients/generate.sh.\nMETHODS: dict[str, str] = {{\n{rows}}}\n"


def sync() -> str:
    text = (PACKAGE / "asynchronous.py").read_text()
    for pattern, replacement in SYNC.items():
        text = re.sub(pattern, replacement, text)
    return f"# Made from asynchronous.py by clients/generate.sh.\n{text}".replace("from .", "from ..").replace("from ..generated", "from .")


def pascal(name: str) -> str:
    return "".join(part[0].upper() + part[1:] for part in name.split("_"))


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


main()
