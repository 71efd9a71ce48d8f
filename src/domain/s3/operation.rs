//! Determines a request's operation.

use crate::domain::limits::BUCKET_PARTS_MAX;
use crate::domain::s3::checksum::HEADERS;
use crate::domain::s3::error::{Code, Result, S3Error};
use crate::domain::s3::listing::ListRequest;
use crate::domain::s3::request::{RequestHead, address_of};
use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use std::collections::BTreeMap;

/// The address of an operation's object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Name of the bucket.
    pub bucket: String,
    /// The object's key. Not empty.
    pub key: String,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Lists the buckets.
    ListBuckets,
    /// Checks whether the bucket exists.
    HeadBucket(String),
    /// Makes sure that a bucket exists. Clients send this before they write.
    CreateBucket(String),
    /// Asks for the bucket's region.
    GetBucketLocation(String),
    /// Asks whether the bucket keeps versions.
    GetBucketVersioning(String),
    /// `ListObjects` and `ListObjectsV2`.
    List(String, ListRequest),
    /// Deletes the objects that the body names.
    DeleteObjects(String),
    /// Reads an object. These headers replace the stored ones.
    Get(Address, BTreeMap<String, String>),
    /// Reads an object's metadata.
    Head(Address),
    /// Writes an object.
    Put(Address),
    /// Writes an object from another one.
    Copy {
        /// The address of the new object.
        to: Address,
        /// The address of the source.
        from: Address,
    },
    /// Deletes an object.
    Delete(Address),
    /// Begins an upload in parts.
    CreateUpload(Address),
    /// Uploads a part.
    UploadPart(Address, PartOf),
    /// Makes a part from another object.
    CopyPart {
        /// The address of the upload's object.
        to: Address,
        /// The upload and the part's number.
        part: PartOf,
        /// The address of the source.
        from: Address,
    },
    /// Makes an object from the parts of an upload.
    CompleteUpload(Address, String),
    /// Deletes the parts of an upload.
    AbortUpload(Address, String),
}

/// A part of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartOf {
    /// The upload's id.
    pub upload_id: String,
    /// The part's number, 1 to 10,000.
    pub number: u16,
}

/// Ignored parameters, in lowercase.
const NOISE: [&str; 16] = [
    // Signatures are not checked.
    "awsaccesskeyid",
    "expires",
    "signature",
    "x-amz-algorithm",
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-expires",
    "x-amz-region-set",
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
    // SDKs add these to signed URLs. The first one asks for digests in the answer.
    "x-amz-checksum-mode",
    "x-amz-sdk-checksum-algorithm",
    "x-amz-user-agent",
    "x-id",
];

/// Others may be headers that a signer moved into the address, such as `x-amz-copy-source`.
fn is_noise(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let algorithm = HEADERS.into_iter().find_map(|(it, by)| (it == name).then_some(by));
    // The SDK for JavaScript signs a put before it has the body: with the digest of an empty one.
    let is_of_nothing = algorithm.is_some_and(|by| BASE64.encode(by.digester().finish()) == value);
    is_of_nothing || NOISE.contains(&name.as_str())
}

impl Operation {
    /// Determines a request's operation.
    ///
    /// # Errors
    /// `NotImplemented` for unknown parameters, which would change the request's meaning;
    /// `MethodNotAllowed`, `InvalidArgument`.
    pub fn parse(head: &RequestHead) -> Result<Self> {
        let (bucket, key) = head.address()?;
        let mut query = head.query()?;
        query.retain(|name, value| !is_noise(name, value));
        if bucket.is_empty() {
            return match head.method.as_str() {
                "GET" if key.is_empty() => Ok(Self::ListBuckets),
                _ => Err(not_allowed()),
            };
        }
        if key.is_empty() {
            return Self::of_bucket(head, bucket, query);
        }
        Self::of_object(head, Address { bucket, key }, query)
    }

    fn of_bucket(
        head: &RequestHead,
        bucket: String,
        mut query: BTreeMap<String, String>,
    ) -> Result<Self> {
        let only = |name: &str| query.len() == 1 && query.contains_key(name);
        match head.method.as_str() {
            "HEAD" if query.is_empty() => Ok(Self::HeadBucket(bucket)),
            "GET" if only("location") => Ok(Self::GetBucketLocation(bucket)),
            "GET" if only("versioning") => Ok(Self::GetBucketVersioning(bucket)),
            "GET" => {
                let list = ListRequest::take(&mut query)?;
                check_empty(&query)?;
                Ok(Self::List(bucket, list))
            }
            "POST" if only("delete") => Ok(Self::DeleteObjects(bucket)),
            "PUT" if query.is_empty() => Ok(Self::CreateBucket(bucket)),
            "DELETE" if query.is_empty() => {
                Err(S3Error::new(Code::AccessDenied, "buckets can't be deleted here"))
            }
            _ => check_empty(&query).and(Err(not_allowed())),
        }
    }

    fn of_object(
        head: &RequestHead,
        at: Address,
        mut query: BTreeMap<String, String>,
    ) -> Result<Self> {
        let upload = query.remove("uploadId");
        let number = query.remove("partNumber");
        let source = head.header("x-amz-copy-source").map(source).transpose()?;
        let begins = query.get("uploads").is_some_and(String::is_empty);
        let method = head.method.as_str();
        match (method, upload, number) {
            ("PUT", Some(upload_id), Some(number)) => {
                check_empty(&query)?;
                let part = PartOf { upload_id, number: part_number(&number)? };
                Ok(match source {
                    Some(from) => Self::CopyPart { to: at, part, from },
                    None => Self::UploadPart(at, part),
                })
            }
            ("POST", Some(upload_id), None) => {
                check_empty(&query).map(|()| Self::CompleteUpload(at, upload_id))
            }
            ("DELETE", Some(upload_id), None) => {
                check_empty(&query).map(|()| Self::AbortUpload(at, upload_id))
            }
            ("GET", Some(_), None) => Err(S3Error::not_implemented("ListParts")),
            (_, None, None) => match method {
                "GET" => {
                    let overrides = overrides(&mut query);
                    check_empty(&query).map(|()| Self::Get(at, overrides))
                }
                "HEAD" => {
                    overrides(&mut query);
                    check_empty(&query).map(|()| Self::Head(at))
                }
                "POST" if begins && query.len() == 1 => Ok(Self::CreateUpload(at)),
                "PUT" => check_empty(&query).map(|()| match source {
                    Some(from) => Self::Copy { to: at, from },
                    None => Self::Put(at),
                }),
                "DELETE" => check_empty(&query).map(|()| Self::Delete(at)),
                _ => check_empty(&query).and(Err(not_allowed())),
            },
            _ => Err(S3Error::not_implemented("partNumber or uploadId of this request")),
        }
    }

    /// The name of the operation, for the log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ListBuckets => "ListBuckets",
            Self::HeadBucket(_) => "HeadBucket",
            Self::CreateBucket(_) => "CreateBucket",
            Self::GetBucketLocation(_) => "GetBucketLocation",
            Self::GetBucketVersioning(_) => "GetBucketVersioning",
            Self::List(..) => "ListObjects",
            Self::DeleteObjects(_) => "DeleteObjects",
            Self::Get(..) => "GetObject",
            Self::Head(_) => "HeadObject",
            Self::Put(_) => "PutObject",
            Self::Copy { .. } => "CopyObject",
            Self::Delete(_) => "DeleteObject",
            Self::CreateUpload(_) => "CreateMultipartUpload",
            Self::UploadPart(..) => "UploadPart",
            Self::CopyPart { .. } => "UploadPartCopy",
            Self::CompleteUpload(..) => "CompleteMultipartUpload",
            Self::AbortUpload(..) => "AbortMultipartUpload",
        }
    }
}

fn not_allowed() -> S3Error {
    S3Error::new(Code::MethodNotAllowed, "the method is not allowed on this address")
}

fn check_empty(query: &BTreeMap<String, String>) -> Result<()> {
    match query.keys().next() {
        None => Ok(()),
        Some(name) => {
            let name: String = name.chars().filter(char::is_ascii_graphic).take(40).collect();
            Err(S3Error::not_implemented(&format!("the parameter {name}")))
        }
    }
}

fn part_number(text: &str) -> Result<u16> {
    let number = text.parse().ok().filter(|number| (1..=BUCKET_PARTS_MAX).contains(number));
    number.ok_or_else(|| S3Error::new(Code::InvalidArgument, "partNumber must be 1 to 10000"))
}

fn source(header: &str) -> Result<Address> {
    let (path, version) =
        header.split_once('?').map_or((header, None), |(path, rest)| (path, Some(rest)));
    if version.is_some() {
        return Err(S3Error::not_implemented("a version of an object"));
    }
    let (bucket, key) = address_of(path)?;
    if bucket.is_empty() || key.is_empty() {
        let message = "x-amz-copy-source must be /bucket/key";
        return Err(S3Error::new(Code::InvalidArgument, message));
    }
    Ok(Address { bucket, key })
}

fn overrides(query: &mut BTreeMap<String, String>) -> BTreeMap<String, String> {
    let names = [
        "cache-control",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-type",
        "expires",
    ];
    let found = names.into_iter().filter_map(|name| {
        let value = query.remove(&format!("response-{name}"))?;
        Some((name.to_owned(), value))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(method: &str, path: &str, query: &str) -> Result<Operation> {
        Operation::parse(&RequestHead::new(method, path, query, []))
    }

    fn at(key: &str) -> Address {
        Address { bucket: "b".into(), key: key.into() }
    }

    #[test]
    fn requests_are_operations() {
        let upload = PartOf { upload_id: "u".into(), number: 7 };
        for (method, path, query, expected) in [
            ("GET", "/", "", Operation::ListBuckets),
            ("GET", "/", "x-id=ListBuckets", Operation::ListBuckets),
            ("HEAD", "/b", "", Operation::HeadBucket("b".into())),
            ("HEAD", "/b/", "", Operation::HeadBucket("b".into())),
            ("PUT", "/b", "", Operation::CreateBucket("b".into())),
            ("GET", "/b", "location=", Operation::GetBucketLocation("b".into())),
            ("POST", "/b", "delete", Operation::DeleteObjects("b".into())),
            ("GET", "/b/k", "x-id=GetObject", Operation::Get(at("k"), BTreeMap::new())),
            (
                "GET",
                "/b/k",
                "X-Amz-Signature=1&X-Amz-Expires=2",
                Operation::Get(at("k"), BTreeMap::new()),
            ),
            ("HEAD", "/b/k/l", "", Operation::Head(at("k/l"))),
            ("PUT", "/b/k", "x-id=PutObject", Operation::Put(at("k"))),
            ("DELETE", "/b/k", "", Operation::Delete(at("k"))),
            ("POST", "/b/k", "uploads", Operation::CreateUpload(at("k"))),
            ("PUT", "/b/k", "partNumber=7&uploadId=u", Operation::UploadPart(at("k"), upload)),
            ("POST", "/b/k", "uploadId=u", Operation::CompleteUpload(at("k"), "u".into())),
            ("DELETE", "/b/k", "uploadId=u", Operation::AbortUpload(at("k"), "u".into())),
        ] {
            assert_eq!(parse(method, path, query), Ok(expected), "{method} {path} {query}");
        }
    }

    #[test]
    fn what_is_not_known_is_refused_and_never_taken_for_something_else() {
        for (method, path, query, code) in [
            ("GET", "/b/k", "uploadId=u", Code::NotImplemented),
            ("GET", "/b", "uploads", Code::NotImplemented),
            ("GET", "/b", "versions", Code::NotImplemented),
            ("GET", "/b", "policy", Code::NotImplemented),
            ("PUT", "/b", "acl", Code::NotImplemented),
            ("DELETE", "/b", "policy", Code::NotImplemented),
            ("DELETE", "/b", "", Code::AccessDenied),
            ("GET", "/b/k", "acl", Code::NotImplemented),
            ("PUT", "/b/k", "tagging", Code::NotImplemented),
            ("DELETE", "/b/k", "versionId=1", Code::NotImplemented),
            ("DELETE", "/b/k", "tagging", Code::NotImplemented),
            ("GET", "/b/k", "partNumber=1", Code::NotImplemented),
            ("PUT", "/b/k", "partNumber=1", Code::NotImplemented),
            ("PUT", "/b/k", "partNumber=0&uploadId=u", Code::InvalidArgument),
            ("PUT", "/b/k", "partNumber=10001&uploadId=u", Code::InvalidArgument),
            ("POST", "/b/k", "", Code::MethodNotAllowed),
            ("POST", "/b/k", "select&select-type=2", Code::NotImplemented),
            ("PATCH", "/b/k", "", Code::MethodNotAllowed),
            ("POST", "/", "", Code::MethodNotAllowed),
            ("GET", "//k", "", Code::MethodNotAllowed),
        ] {
            let refused = parse(method, path, query).map_err(|error| error.code);
            assert_eq!(refused, Err(code), "{method} {path} {query}");
        }
    }

    /// The addresses come from `getSignedUrl` of the SDK for JavaScript, version 3.1175.
    #[test]
    fn a_signed_address_means_what_it_says() {
        const SIGNED: &str = "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=a%2F20270115%2Fauto%2Fs3%2Faws4_request&X-Amz-Date=20270115T080000Z&X-Amz-Expires=900&X-Amz-Security-Token=t&X-Amz-Signature=5&X-Amz-SignedHeaders=host";
        let signed = |method: &str, more: &str| {
            parse(method, "/b/k", &format!("{SIGNED}{more}")).map_err(|error| error.code)
        };
        let get = signed("GET", "&x-amz-checksum-mode=ENABLED&x-id=GetObject");
        assert_eq!(get, Ok(Operation::Get(at("k"), BTreeMap::new())));
        let of_nothing = "&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32";
        assert_eq!(signed("PUT", of_nothing), Ok(Operation::Put(at("k"))));
        for more in [
            "&x-amz-copy-source=b%2Fx",
            "&X-Amz-Copy-Source=b%2Fx",
            "&x-amz-checksum-crc32=NhCmhg%3D%3D",
            "&x-amz-checksum-sha256=AAAAAA%3D%3D",
            "&x-amz-meta-a=1",
            "&x-amz-acl=private",
            "&x-amz-tagging=a%3Db",
            "&x-amz-server-side-encryption-customer-key=k",
            "&x-amz-expected-bucket-owner=1",
        ] {
            assert_eq!(signed("PUT", more), Err(Code::NotImplemented), "{more}");
        }
    }

    #[test]
    fn a_copy_names_its_source() {
        let copy = |source: &str| {
            let headers = [("x-amz-copy-source", source)];
            Operation::parse(&RequestHead::new("PUT", "/b/k", "", headers)).map_err(|e| e.code)
        };
        let from = Address { bucket: "c".into(), key: "a b/c?".into() };
        assert_eq!(copy("/c/a%20b/c%3F"), Ok(Operation::Copy { to: at("k"), from: from.clone() }));
        assert_eq!(copy("c/a%20b/c%3F"), Ok(Operation::Copy { to: at("k"), from }));
        assert_eq!(copy("/c"), Err(Code::InvalidArgument));
        assert_eq!(copy("/c/k?versionId=1"), Err(Code::NotImplemented));
    }
}
