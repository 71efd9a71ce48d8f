//! The only deserializer: all types are read from a [`Value`], so their code is compiled once.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};
use std::fmt::{self, Display, Write};
use std::{mem, vec};

/// Where a value does not fit its type, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// From the innermost step outwards.
    path: Vec<Step>,
    /// The reason, in serde's words.
    pub problem: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Index(usize),
}

impl Fault {
    #[cold]
    #[inline(never)]
    fn under_field(mut self, name: &str) -> Self {
        self.path.push(Step::Field(name.to_owned()));
        self
    }

    #[cold]
    #[inline(never)]
    fn under_index(mut self, index: usize) -> Self {
        self.path.push(Step::Index(index));
        self
    }

    /// The path, e.g. `labels.tests` or `argv[1]`, without leading `wrappers`. Empty for the whole.
    #[must_use]
    pub fn field(&self, wrappers: &[&str]) -> String {
        let is_wrapper =
            |step: &&Step| matches!(step, Step::Field(name) if wrappers.contains(&name.as_str()));
        let mut field = String::new();
        for step in self.path.iter().rev().skip_while(is_wrapper) {
            match step {
                Step::Field(name) => {
                    let dot = if field.is_empty() { "" } else { "." };
                    field.push_str(dot);
                    field.push_str(name);
                }
                Step::Index(index) => {
                    // Writing to a String cannot fail.
                    let _ = write!(field, "[{index}]");
                }
            }
        }
        field
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(problem: T) -> Self {
        Self { path: Vec::new(), problem: problem.to_string() }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Unit => {
                Self::custom(format_args!("invalid type: null, expected {expected}"))
            }
            found => Self::custom(format_args!("invalid type: {found}, expected {expected}")),
        }
    }
}

/// Methods that visit one kind of value and refuse others, whose code is then not compiled.
macro_rules! takes {
    ($value:pat, $visitor:ident => $visit:expr; $($name:ident($($hint:ty),*))*) => {$(
        fn $name<V: Visitor<'de>>(self, $(_: $hint,)* $visitor: V) -> Result<V::Value, Fault> {
            match self.0 {
                $value => $visit,
                other => Err(mismatch(&other, &$visitor)),
            }
        }
    )*};
}

/// A JSON value that types can be read from.
pub struct Reader(pub Value);

impl IntoDeserializer<'_, Fault> for Reader {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => visit_number(&number, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visit_items(items, visitor),
            Value::Object(fields) => visit_fields(fields, visitor),
        }
    }

    takes! {
        Value::Bool(value), visitor => visitor.visit_bool(value);
        deserialize_bool()
    }

    takes! {
        Value::Number(number), visitor => visit_number(&number, visitor);
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
        deserialize_f32() deserialize_f64()
    }

    takes! {
        Value::String(text), visitor => visitor.visit_string(text);
        deserialize_string() deserialize_str() deserialize_identifier()
    }

    takes! {
        Value::Array(items), visitor => visit_items(items, visitor);
        deserialize_seq() deserialize_tuple(usize)
    }

    takes! {
        Value::Object(fields), visitor => visit_fields(fields, visitor);
        deserialize_map() deserialize_struct(&'static str, &'static [&'static str])
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant { name, content: None }),
            Value::Object(fields) => {
                let mut fields = fields.into_iter();
                match (fields.next(), fields.next()) {
                    (Some((name, content)), None) => {
                        visitor.visit_enum(Variant { name, content: Some(content) })
                    }
                    _ => Err(de::Error::invalid_value(Unexpected::Map, &"map with a single key")),
                }
            }
            other => Err(mismatch(&other, &"string or map")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! { char bytes byte_buf unit unit_struct tuple_struct }
}

fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Fault> {
    if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else {
        visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
    }
}

fn visit_items<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value, Fault> {
    let length = items.len();
    let mut items = Items { rest: items.into_iter(), next: 0 };
    let read = visitor.visit_seq(&mut items)?;
    match items.rest.len() {
        0 => Ok(read),
        _ => Err(de::Error::invalid_length(length, &"fewer elements in array")),
    }
}

fn visit_fields<'de, V: Visitor<'de>>(
    fields: Map<String, Value>,
    visitor: V,
) -> Result<V::Value, Fault> {
    let rest = fields.into_iter();
    visitor.visit_map(&mut Fields { rest, name: String::new(), value: Value::Null })
}

#[cold]
#[inline(never)]
fn mismatch(value: &Value, expected: &dyn Expected) -> Fault {
    de::Error::invalid_type(unexpected(value), expected)
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(value), _) => Unexpected::Unsigned(value),
            (None, Some(value)) => Unexpected::Signed(value),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

struct Items {
    rest: vec::IntoIter<Value>,
    next: usize,
}

impl Items {
    // Compiled once, not once for each type.
    #[inline(never)]
    fn advance(&mut self) -> Option<Value> {
        self.next += 1;
        self.rest.next()
    }
}

impl<'de> SeqAccess<'de> for &mut Items {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Fault> {
        let Some(item) = self.advance() else { return Ok(None) };
        seed.deserialize(Reader(item)).map(Some).map_err(|fault| fault.under_index(self.next - 1))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Fields {
    rest: <Map<String, Value> as IntoIterator>::IntoIter,
    name: String,
    value: Value,
}

impl Fields {
    #[inline(never)]
    fn advance(&mut self) -> Option<&str> {
        (self.name, self.value) = self.rest.next()?;
        Some(&self.name)
    }

    #[inline(never)]
    fn take(&mut self) -> Value {
        mem::take(&mut self.value)
    }
}

impl<'de> MapAccess<'de> for &mut Fields {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Fault> {
        let Some(name) = self.advance() else { return Ok(None) };
        let key: StrDeserializer<'_, Fault> = name.into_deserializer();
        seed.deserialize(key).map(Some).map_err(|fault| fault.under_field(name))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        let value = self.take();
        seed.deserialize(Reader(value)).map_err(|fault| fault.under_field(&self.name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Variant {
    name: String,
    content: Option<Value>,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        let name: StrDeserializer<'_, Fault> = self.name.as_str().into_deserializer();
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(other) => Err(mismatch(&other, &"unit variant")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        let Self { name, content } = self;
        seed.deserialize(Reader(content.unwrap_or_default()))
            .map_err(|fault| fault.under_field(&name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Fault> {
        let Self { name, content } = self;
        Reader(content.unwrap_or_default())
            .deserialize_seq(visitor)
            .map_err(|fault| fault.under_field(&name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let Self { name, content } = self;
        Reader(content.unwrap_or_default())
            .deserialize_map(visitor)
            .map_err(|fault| fault.under_field(&name))
    }
}

#[cfg(test)]
mod tests;
