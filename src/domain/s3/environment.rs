//! Environment variables that lead a container's S3 clients to the gateway.

/// The gateway's host. No public name ends with `.internal`.
pub const HOST: &str = "r2.internal";

/// Names and values. Clients need credentials, but the gateway ignores these.
pub const VARIABLES: [(&str, &str); 13] = [
    ("AWS_ACCESS_KEY_ID", "session"),
    ("AWS_SECRET_ACCESS_KEY", "session"),
    ("AWS_REGION", "auto"),
    ("AWS_DEFAULT_REGION", "auto"),
    ("AWS_ENDPOINT_URL_S3", "http://r2.internal"),
    ("AWS_EC2_METADATA_DISABLED", "true"),
    ("RCLONE_CONFIG_R2_TYPE", "s3"),
    ("RCLONE_CONFIG_R2_PROVIDER", "Cloudflare"),
    ("RCLONE_CONFIG_R2_REGION", "auto"),
    ("RCLONE_CONFIG_R2_ENV_AUTH", "true"),
    ("RCLONE_CONFIG_R2_ENDPOINT", "http://r2.internal"),
    ("RCLONE_CONFIG_R2_FORCE_PATH_STYLE", "true"),
    ("RCLONE_CONFIG_R2_NO_CHECK_BUCKET", "true"),
];
