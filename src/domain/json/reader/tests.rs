use super::*;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Thing {
    many: Vec<Choice>,
    #[serde(default)]
    labels: BTreeMap<Name, Option<i8>>,
    ratio: f64,
}

#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
struct Name(String);

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
enum Choice {
    Unit,
    One(u8),
    Two(u8, bool),
    Struct { text: String },
}

fn read(value: Value) -> Result<Thing, (String, String)> {
    Thing::deserialize(Reader(value)).map_err(|fault| (fault.field(&["args"]), fault.problem))
}

#[test]
fn every_shape_is_read() {
    let many = json!(["unit", { "one": 1 }, { "two": [2, true] }, { "struct": { "text": "t" } }]);
    let read = read(json!({ "many": many, "labels": { "a": -1, "b": null }, "ratio": 2 }));
    let name = |name: &str| Name(name.to_owned());
    let expected = Thing {
        many: vec![
            Choice::Unit,
            Choice::One(1),
            Choice::Two(2, true),
            Choice::Struct { text: "t".to_owned() },
        ],
        labels: BTreeMap::from([(name("a"), Some(-1)), (name("b"), None)]),
        ratio: 2.0,
    };
    assert_eq!(read, Ok(expected));
}

#[test]
fn a_fault_says_where_it_is() {
    for (value, field, problem) in [
        (json!([1]), "", "invalid type: sequence, expected struct Thing"),
        (json!({ "many": {} }), "many", "invalid type: map, expected a sequence"),
        (json!({ "many": [], "ratio": null }), "ratio", "invalid type: null, expected f64"),
        (json!({ "many": [] }), "", "missing field `ratio`"),
        (
            json!({ "many": ["unit", { "one": 300 }] }),
            "many[1].one",
            "invalid value: integer `300`, expected u8",
        ),
        (
            json!({ "many": [{ "two": [1] }] }),
            "many[0].two",
            "invalid length 1, expected tuple variant Choice::Two with 2 elements",
        ),
        (
            json!({ "many": [{ "struct": { "text": 1 } }] }),
            "many[0].struct.text",
            "invalid type: integer `1`, expected a string",
        ),
        (json!({ "labels": { "a": "x" } }), "labels.a", "invalid type: string \"x\", expected i8"),
        (
            json!({ "manny": 1 }),
            "manny",
            "unknown field `manny`, expected one of `many`, `labels`, `ratio`",
        ),
    ] {
        assert_eq!(read(value), Err((field.to_owned(), problem.to_owned())));
    }
}
