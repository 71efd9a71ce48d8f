"""Runs tools as MCP lists them through the vendors' own converters, offline.

python convert.py TOOLS.json: prints one JSON object, for each converter the tools that it refused, and why.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import anthropic
from agents import strict_schema
from google.genai import _mcp_utils, types
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from mcp import types as mcp
from openai.lib._pydantic import _ensure_strict_json_schema

Tool = dict[str, Any]


def listed(tool: Tool) -> mcp.Tool:
    return mcp.Tool.model_validate(tool)


def gemini_mcp(tool: Tool) -> None:
    declared = _mcp_utils.mcp_to_gemini_tool(listed(tool)).function_declarations[0]
    check_gemini(declared.parameters, tool["name"])


def gemini_declaration(tool: Tool) -> None:
    declared = types.FunctionDeclaration(
        name=tool["name"], description=tool["description"], parameters=tool["inputSchema"]
    )
    check_gemini(declared.parameters, tool["name"])


def check_gemini(schema: types.Schema | None, at: str) -> None:
    """What the API refuses with 400, though the type takes it."""
    if schema is None:
        return
    if not isinstance(schema.type, types.Type):
        raise ValueError(f"{at}: not one type")
    if schema.type == types.Type.ARRAY and schema.items is None:
        raise ValueError(f"{at}: a list without items")
    for name, field in (schema.properties or {}).items():
        check_gemini(field, f"{at}.{name}")
        if field.type == types.Type.OBJECT and not field.properties:
            raise ValueError(f"{at}.{name}: an object without properties")
    check_gemini(schema.items, f"{at}[]")


def openai_strict(tool: Tool) -> None:
    schema = json.loads(json.dumps(tool["inputSchema"]))
    check_strict(_ensure_strict_json_schema(schema, path=(), root=schema), tool["name"])


def openai_agents(tool: Tool) -> None:
    schema = json.loads(json.dumps(tool["inputSchema"]))
    check_strict(strict_schema.ensure_strict_json_schema(schema), tool["name"])


def check_strict(schema: Any, at: str) -> None:
    """The rules of OpenAI's strict mode, which the API checks."""
    if not isinstance(schema.get("type"), str):
        raise ValueError(f"{at}: not one type")
    for keyword in ("oneOf", "allOf", "not", "if", "patternProperties", "propertyNames", "maxProperties"):
        if keyword in schema:
            raise ValueError(f"{at}: {keyword}")
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            raise ValueError(f"{at}: additionalProperties must be false")
        fields = schema.get("properties", {})
        if set(schema.get("required", [])) != set(fields):
            raise ValueError(f"{at}: every field must be required")
        for name, field in fields.items():
            check_strict(field, f"{at}.{name}")
    if "items" in schema:
        check_strict(schema["items"], f"{at}[]")


def langchain(tool: Tool) -> None:
    connection = {"transport": "streamable_http", "url": "http://localhost"}
    converted = convert_mcp_tool_to_langchain_tool(None, listed(tool), connection=connection)
    function = convert_to_openai_tool(converted)["function"]
    if function["parameters"].get("properties", {}).keys() != tool["inputSchema"]["properties"].keys():
        raise ValueError("properties were lost")


def anthropic_strict(tool: Tool) -> None:
    schema = anthropic.transform_schema(tool["inputSchema"])
    check_anthropic(schema, tool["name"])


def check_anthropic(schema: Any, at: str) -> None:
    """What Anthropic's strict tools take."""
    if not isinstance(schema.get("type"), str) and "enum" not in schema:
        raise ValueError(f"{at}: not one type")
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        raise ValueError(f"{at}: additionalProperties must be false")
    for name, field in schema.get("properties", {}).items():
        check_anthropic(field, f"{at}.{name}")
    if "items" in schema:
        check_anthropic(schema["items"], f"{at}[]")


CONVERTERS: dict[str, Callable[[Tool], None]] = {
    "google-genai, MCP": gemini_mcp,
    "google-genai, FunctionDeclaration": gemini_declaration,
    "openai, strict": openai_strict,
    "openai-agents, strict": openai_agents,
    "langchain-mcp-adapters": langchain,
    "anthropic, strict": anthropic_strict,
}


def refusal(convert: Callable[[Tool], None], tool: Tool) -> str | None:
    try:
        convert(tool)
    except Exception as error:  # Each converter raises its own.
        return f"{tool['name']}: {type(error).__name__}: {str(error)[:300]}"
    return None


with open(sys.argv[1], encoding="utf-8") as file:
    tools: list[Tool] = json.load(file)
print(
    json.dumps(
        {name: [why for tool in tools if (why := refusal(convert, tool))] for name, convert in CONVERTERS.items()}
    )
)
