//! Answers of the server, reduced to the fields that we show.

use crate::error::Error;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Declares structs of answers. Each has the name of a published schema, and does not compile if
/// the schema lacks one of its fields.
macro_rules! answer {
    ($($(#[$doc:meta])* pub struct $name:ident { $($field:ident: $type:ty),* $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $(pub $field: $type),* }

        $crate::api::published! { $name { $($field),* } }
    )+};
}
pub(crate) use answer;

/// Does not compile if a published schema lacks one of these fields.
macro_rules! published {
    ($($name:ident { $($field:ident),* })+) => {$(
        const _: () = {
            $(assert!(
                $crate::api::has_field($crate::api::operations::fields::$name, stringify!($field)),
                concat!(stringify!($name), ".", stringify!($field), " is not published"),
            );)*
        };
    )+};
}
pub(crate) use published;

// Errors lie below this module, so they can't be declared by `answer!`.
published! {
    ErrorBody { code, message, hint, next, details }
    Instruction { text, arguments }
}

/// Reads an answer as the struct of its schema.
pub fn read<T: DeserializeOwned>(answer: &Value) -> Result<T, Error> {
    T::deserialize(answer).map_err(|error| {
        Error::Answer(format!("the answer is not as this version expects: {error}"))
    })
}

/// Whether a published field, in camelCase, is the one that `rust` names in snake_case.
pub const fn has_field(mut published: &[&str], rust: &str) -> bool {
    while let [name, rest @ ..] = published {
        if is_same(name.as_bytes(), without_raw(rust.as_bytes())) {
            return true;
        }
        published = rest;
    }
    false
}

const fn without_raw(name: &[u8]) -> &[u8] {
    if let [b'r', b'#', rest @ ..] = name { rest } else { name }
}

const fn is_same(mut camel: &[u8], mut snake: &[u8]) -> bool {
    loop {
        match (camel, snake) {
            ([], []) => return true,
            ([upper, camel_rest @ ..], [b'_', lower, snake_rest @ ..]) => {
                if *upper != lower.to_ascii_uppercase() {
                    return false;
                }
                (camel, snake) = (camel_rest, snake_rest);
            }
            ([one, camel_rest @ ..], [other, snake_rest @ ..]) if *one == *other => {
                (camel, snake) = (camel_rest, snake_rest);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::has_field;

    #[test]
    fn fields_are_compared_across_their_spelling() {
        assert!(has_field(&["id", "sizeBytes"], "size_bytes"));
        assert!(has_field(&["type"], "r#type"));
        for wrong in ["sizebytes", "size", "size_byte", "size_bytess", ""] {
            assert!(!has_field(&["id", "sizeBytes"], wrong), "{wrong}");
        }
    }
}
