"""An archive is sent as the bytes it is, which schemathesis has to be told for each media type."""

import schemathesis

schemathesis.serializer.alias("application/x-tar", "application/octet-stream")
