"""What schemathesis has to be told: how archives are sent, and which body a link sends.

Generators of clients refuse a link whose requestBody is an object, so the document has it as an extension.
"""

import schemathesis


@schemathesis.hook
def before_load_schema(_context, schema):
    for path in schema["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                for link in response.get("links", {}).values():
                    if "x-request-body" in link:
                        link["requestBody"] = link.pop("x-request-body")


schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
