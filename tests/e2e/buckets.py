"""What S3 clients do with a session's buckets, in its container: boto3 as it comes, and requests by hand.

The variable BUCKET names the bucket that most steps write to.
"""

import gzip
import hashlib
import http.client
import io
import os
import sys
import time
import zlib
from base64 import b64encode

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

s3 = boto3.client("s3")
BUCKET = os.environ.get("BUCKET", "DATA")


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        found = error.response["Error"]["Code"]
        assert found == code, f"{call.__name__} {arguments}: {found} instead of {code}"
    else:
        raise AssertionError(f"{call.__name__} {arguments} was not refused with {code}")


def by_hand(method, path, body=None, headers=None):
    connection = http.client.HTTPConnection("r2.internal")
    connection.request(method, path, body=body, headers=headers or {})
    response = connection.getresponse()
    return response.status, response.read().decode()


def objects():
    put = s3.put_object(Bucket=BUCKET, Key="a/hello é+ .txt", Body=b"hello world", ContentType="text/plain", Metadata={"who": "me"})
    assert put["ETag"] == f'"{hashlib.md5(b"hello world").hexdigest()}"', put
    got = s3.get_object(Bucket=BUCKET, Key="a/hello é+ .txt")
    assert got["Body"].read() == b"hello world"
    assert (got["ContentType"], got["Metadata"], got["ContentLength"]) == ("text/plain", {"who": "me"}, 11), got
    head = s3.head_object(Bucket=BUCKET, Key="a/hello é+ .txt")
    assert (head["ContentLength"], head["ETag"]) == (11, put["ETag"]), head
    part = s3.get_object(Bucket=BUCKET, Key="a/hello é+ .txt", Range="bytes=6-8")
    assert (part["Body"].read(), part["ContentRange"]) == (b"wor", "bytes 6-8/11"), part
    refused("InvalidRange", s3.get_object, Bucket=BUCKET, Key="a/hello é+ .txt", Range="bytes=11-")
    refused("NoSuchKey", s3.get_object, Bucket=BUCKET, Key="none")
    refused("404", s3.head_object, Bucket=BUCKET, Key="none")
    refused("304", s3.get_object, Bucket=BUCKET, Key="a/hello é+ .txt", IfNoneMatch=put["ETag"])
    refused("PreconditionFailed", s3.get_object, Bucket=BUCKET, Key="a/hello é+ .txt", IfMatch='"0"')
    refused("PreconditionFailed", s3.put_object, Bucket=BUCKET, Key="a/hello é+ .txt", Body=b"x", IfNoneMatch="*")
    refused("NotImplemented", s3.delete_object, Bucket=BUCKET, Key="a/hello é+ .txt", IfMatch='"0"')
    s3.put_object(Bucket=BUCKET, Key="empty", Body=b"")
    assert s3.get_object(Bucket=BUCKET, Key="empty")["Body"].read() == b""
    packed = gzip.compress(b"unpacked " * 1000)
    s3.put_object(Bucket=BUCKET, Key="packed", Body=packed, ContentEncoding="gzip", ContentType="text/plain")
    assert s3.get_object(Bucket=BUCKET, Key="packed")["Body"].read() == packed
    assert s3.head_object(Bucket=BUCKET, Key="packed")["ContentLength"] == len(packed)
    signed = {"Bucket": BUCKET, "Key": "signed address"}
    for method, call, body in [("PUT", "put_object", b"x"), ("GET", "get_object", None), ("DELETE", "delete_object", None)]:
        address = s3.generate_presigned_url(call, signed).removeprefix("http://r2.internal")
        status, text = by_hand(method, address, body)
        assert (status, text) == {"PUT": (200, ""), "GET": (200, "x"), "DELETE": (204, "")}[method], (address, status, text)


def digests():
    for algorithm in ["CRC32", "SHA1", "SHA256"]:
        s3.put_object(Bucket=BUCKET, Key=f"by/{algorithm}", Body=b"hello", ChecksumAlgorithm=algorithm)
    refused("BadDigest", s3.put_object, Bucket=BUCKET, Key="wrong", Body=b"hello", ChecksumCRC32="AAAAAA==")
    refused("BadDigest", s3.put_object, Bucket=BUCKET, Key="wrong", Body=b"hello", ContentMD5=b64encode(b"0" * 16).decode())
    refused("BadDigest", s3.put_object, Bucket=BUCKET, Key="wrong", Body=b"hello", ChecksumSHA256=b64encode(b"0" * 32).decode())
    content = os.urandom(300_000)
    crc = b64encode(zlib.crc32(content).to_bytes(4, "big")).decode()
    framed = {"x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER", "content-encoding": "aws-chunked", "x-amz-trailer": "x-amz-checksum-crc32"}
    framed["x-amz-decoded-content-length"] = str(len(content))

    def frame(crc):
        chunks = [content[at : at + 65_536] for at in range(0, len(content), 65_536)]
        body = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
        return body + b"0\r\nx-amz-checksum-crc32:" + crc.encode() + b"\r\n\r\n"

    status, text = by_hand("PUT", f"/{BUCKET}/wrong", frame("AAAAAA=="), framed)
    assert (status, "BadDigest" in text) == (400, True), text
    refused("NoSuchKey", s3.get_object, Bucket=BUCKET, Key="wrong")
    status, text = by_hand("PUT", f"/{BUCKET}/framed", frame(crc), framed)
    assert status == 200, text
    assert s3.get_object(Bucket=BUCKET, Key="framed")["Body"].read() == content
    signed = {"x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "x-amz-decoded-content-length": "5"}
    body = b"5;chunk-signature=%s\r\nhello\r\n0;chunk-signature=%s\r\n\r\n" % (b"a" * 64, b"b" * 64)
    status, text = by_hand("PUT", f"/{BUCKET}/signed", body, signed)
    assert status == 200, text
    assert s3.get_object(Bucket=BUCKET, Key="signed")["Body"].read() == b"hello"


def large():
    content = os.urandom(24 * 1024 * 1024 + 7)
    s3.put_object(Bucket=BUCKET, Key="large", Body=content)
    assert hashlib.sha256(s3.get_object(Bucket=BUCKET, Key="large")["Body"].read()).digest() == hashlib.sha256(content).digest()
    parts = TransferConfig(multipart_threshold=5 << 20, multipart_chunksize=5 << 20, max_concurrency=3)
    s3.upload_fileobj(io.BytesIO(content), BUCKET, "parts", Config=parts, ExtraArgs={"Metadata": {"a": "1"}})
    back = io.BytesIO()
    s3.download_fileobj(BUCKET, "parts", back, Config=parts)
    assert back.getvalue() == content
    assert s3.head_object(Bucket=BUCKET, Key="parts")["Metadata"] == {"a": "1"}
    s3.copy({"Bucket": BUCKET, "Key": "parts"}, BUCKET, "copied", Config=parts)
    assert s3.head_object(Bucket=BUCKET, Key="copied")["ContentLength"] == len(content)
    s3.copy_object(Bucket=BUCKET, Key="copied", CopySource={"Bucket": BUCKET, "Key": "a/hello é+ .txt"}, MetadataDirective="REPLACE", Metadata={"b": "2"})
    copied = s3.get_object(Bucket=BUCKET, Key="copied")
    assert (copied["Body"].read(), copied["Metadata"]) == (b"hello world", {"b": "2"}), copied
    upload = s3.create_multipart_upload(Bucket=BUCKET, Key="dropped")["UploadId"]
    s3.abort_multipart_upload(Bucket=BUCKET, Key="dropped", UploadId=upload)
    if BUCKET == "DATA":  # moto fails
        refused("NoSuchUpload", s3.upload_part, Bucket=BUCKET, Key="dropped", UploadId=upload, PartNumber=1, Body=b"x")
    refused("NotImplemented", s3.list_multipart_uploads, Bucket=BUCKET)


def lists():
    keys = [f"many/{at:03}/x y+é" for at in range(11)]
    for key in keys:
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"x")
    pages = list(s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="many/", PaginationConfig={"PageSize": 3}))
    assert [item["Key"] for page in pages for item in page["Contents"]] == keys and len(pages) == 4
    folders = [f"many/{at:03}/" for at in range(11)]
    for version in ["list_objects_v2", "list_objects"]:
        pages = s3.get_paginator(version).paginate(Bucket=BUCKET, Prefix="many/", Delimiter="/", PaginationConfig={"PageSize": 3})
        assert [item["Prefix"] for page in pages for item in page.get("CommonPrefixes", [])] == folders, version
    after = s3.list_objects_v2(Bucket=BUCKET, Prefix="many/", StartAfter=keys[8])
    assert [item["Key"] for item in after["Contents"]] == keys[9:]
    deleted = s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in keys]})
    assert len(deleted["Deleted"]) == 11, deleted
    assert s3.list_objects_v2(Bucket=BUCKET, Prefix="many/")["KeyCount"] == 0


def room():
    """Bodies that do not arrive hold as much room as is read of them, whatever else they say."""
    stalled = []
    for _ in range(3):
        connection = http.client.HTTPConnection("r2.internal")
        connection.putrequest("POST", f"/{BUCKET}/k?uploadId=u")
        connection.putheader("content-length", str(3 << 20))
        connection.putheader("x-amz-decoded-content-length", "1")
        connection.endheaders(b"<CompleteMultipartUpload>")
        stalled.append(connection)
    time.sleep(1)
    status, text = by_hand("GET", f"/{BUCKET}?list-type=2&max-keys=500")
    assert status == 200, text
    status, text = by_hand("GET", f"/{BUCKET}?list-type=2")
    assert (status, "SlowDown" in text) == (503, True), (status, text)
    for connection in stalled:
        connection.close()
    status, text = by_hand("GET", f"/{BUCKET}?list-type=2")
    assert status == 200, text


def scope():
    assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["DATA", "LOGS"]
    assert s3.get_object(Bucket="LOGS", Key="2024/in")["Body"].read() == b"in"
    for key in ["secret", "2024", "2025/out"]:
        refused("AccessDenied", s3.get_object, Bucket="LOGS", Key=key)
    refused("AccessDenied", s3.list_objects_v2, Bucket="LOGS")
    refused("AccessDenied", s3.put_object, Bucket="LOGS", Key="2024/new", Body=b"x")
    refused("AccessDenied", s3.delete_object, Bucket="LOGS", Key="2024/in")
    refused("AccessDenied", s3.copy_object, Bucket=BUCKET, Key="k", CopySource="LOGS/secret")
    for bucket in ["OTHER", "BACKUP_BUCKET", "AGENT_HOST", "API_TOKEN", "none"]:
        refused("NoSuchBucket", s3.get_object, Bucket=bucket, Key="k")
    assert [item["Key"] for item in s3.list_objects_v2(Bucket="LOGS", Prefix="2024/")["Contents"]] == ["2024/in"]
    for path in ["/LOGS/2024/../secret", "/LOGS/2024/%2e%2e/secret", "/LOGS/2024%2F..%2Fsecret", "//LOGS/secret", "/DATA/../LOGS/secret"]:
        status, text = by_hand("GET", path)
        assert status >= 400 and "hidden" not in text, (path, text)


def far():
    assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["far", "far-logs"]
    assert s3.get_object(Bucket="far-logs", Key="2024/in")["Body"].read() == b"in"
    for key in ["secret", "2024", "2025/out"]:
        refused("AccessDenied", s3.get_object, Bucket="far-logs", Key=key)
    refused("AccessDenied", s3.list_objects_v2, Bucket="far-logs")
    refused("AccessDenied", s3.put_object, Bucket="far-logs", Key="2024/new", Body=b"x")
    refused("AccessDenied", s3.copy_object, Bucket="far", Key="k", CopySource="far-logs/secret")
    refused("InvalidArgument", s3.copy_object, Bucket="far", Key="k", CopySource="far-logs/2024/../secret")
    refused("InvalidArgument", s3.list_objects_v2, Bucket="far-logs", Prefix="2024/../")
    up = s3.delete_objects(Bucket="far", Delete={"Objects": [{"Key": "a/../../unmounted/secret"}, {"Key": "a/./b"}]})
    assert [error["Code"] for error in up["Errors"]] == ["InvalidArgument"] * 2 and "Deleted" not in up, up
    refused("NoSuchBucket", s3.get_object, Bucket="unmounted", Key="secret")
    refused("InvalidRequest", s3.get_object, Bucket="far", Key="moved")
    assert [item["Key"] for item in s3.list_objects_v2(Bucket="far-logs", Prefix="2024/")["Contents"]] == ["2024/in"]
    for path in ["/far-logs/2024/../secret", "/far-logs/2024/%2e%2e/secret", "/far-logs/2024%2F..%2Fsecret", "/far/../unmounted/secret"]:
        status, text = by_hand("GET", path)
        assert status >= 400 and "hidden" not in text, (path, text)


for step in sys.argv[1:]:
    globals()[step]()
print("done")
