"""An S3 service as the endpoint of buckets: moto, behind botocore's own computation of each request's signature.

Prints its port once it is ready, and then each request on a line. The variables SERVICE_KEYS (id, secret and token, in
words) and SERVICE_BUCKETS say whom it serves what.
"""

import hashlib
import hmac
import io
import os
import threading

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

ID, SECRET, TOKEN = os.environ["SERVICE_KEYS"].split()
REGION = "eu-test-1"
moto = DomainDispatcherApplication(create_backend_app)


def problem(environ, body):
    """What is wrong with a request's signature, as a code of S3."""
    given = environ.get("HTTP_AUTHORIZATION", "")
    if not given.startswith("AWS4-HMAC-SHA256 "):
        return "AccessDenied"
    fields = dict(field.strip().split("=", 1) for field in given.removeprefix("AWS4-HMAC-SHA256 ").split(","))
    signed = fields["SignedHeaders"].split(";")
    own = {"content-type": "CONTENT_TYPE", "content-length": "CONTENT_LENGTH"}
    headers = {name: environ.get(own.get(name, "HTTP_" + name.upper().replace("-", "_")), "") for name in signed}
    # All that S3 wants to be signed.
    sent = {name.removeprefix("HTTP_").lower().replace("_", "-") for name in environ if name.startswith("HTTP_X_AMZ_")}
    if not sent | {"host", "x-amz-date", "x-amz-content-sha256"} <= set(signed) or headers.get("x-amz-security-token") != TOKEN:
        return "InvalidToken"
    if fields["Credential"] != f"{ID}/{headers['x-amz-date'][:8]}/{REGION}/s3/aws4_request":
        return "InvalidAccessKeyId"
    path, _, query = environ["REQUEST_URI"].partition("?")
    request = AWSRequest(method=environ["REQUEST_METHOD"], url=f"http://{headers['host']}{path}?{query}", headers=headers)
    request.context["timestamp"] = headers["x-amz-date"]
    auth = S3SigV4Auth(Credentials(ID, SECRET, TOKEN), "s3", REGION)
    expected = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    if not hmac.compare_digest(expected, fields["Signature"]):
        return "SignatureDoesNotMatch"
    digest = headers["x-amz-content-sha256"]
    if digest != "UNSIGNED-PAYLOAD" and digest != hashlib.sha256(body).hexdigest():
        return "XAmzContentSHA256Mismatch"
    return None


def service(environ, start_response):
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    line = f"{environ['REQUEST_METHOD']} {environ['REQUEST_URI']} {environ.get('HTTP_AUTHORIZATION', '')}"
    wrong = problem(environ, body)
    print(line, wrong or "", flush=True)
    if wrong:
        # As S3 does: it names whose credentials these are, and what should have been signed.
        text = f"<Error><Code>{wrong}</Code><Message>{ID} {TOKEN}</Message><AWSAccessKeyId>{ID}</AWSAccessKeyId><StringToSign>{line}</StringToSign></Error>"
        start_response("403 Forbidden", [("Content-Type", "application/xml"), ("x-amz-leak", ID)])
        return [text.encode()]
    if environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"].endswith("/moved"):
        start_response("307 Temporary Redirect", [("Location", "/elsewhere/secret")])
        return [b""]
    return moto(environ, start_response)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_):
        pass


server = make_server("127.0.0.1", 0, service, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever).start()
s3 = boto3.client(
    "s3", endpoint_url=f"http://127.0.0.1:{server.server_port}", region_name=REGION, config=Config(s3={"addressing_style": "path"}),
    aws_access_key_id=ID, aws_secret_access_key=SECRET, aws_session_token=TOKEN,
)
for bucket in os.environ["SERVICE_BUCKETS"].split():
    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    for key, body in [("2024/in", b"in"), ("2025/out", b"hidden"), ("secret", b"hidden"), ("moved", b"hidden")]:
        s3.put_object(Bucket=bucket, Key=key, Body=body)
print(server.server_port, flush=True)
