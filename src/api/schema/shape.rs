//! Schemas of bodies and answers, for the OpenAPI document.

/// A type whose JSON a route takes or gives. Where the OpenAPI document is made
/// it describes itself; in the Worker that is nothing.
#[cfg(not(schemas))]
pub trait Shaped {
    /// No schema.
    const SHAPE: Shape = ();
}

#[cfg(not(schemas))]
impl<T> Shaped for T {}

/// What describes a type.
#[cfg(not(schemas))]
pub type Shape = ();

/// A type whose JSON a route takes or gives. Where the OpenAPI document is made
/// it describes itself; in the Worker that is nothing.
#[cfg(schemas)]
pub trait Shaped {
    /// Its JSON Schema.
    const SHAPE: Shape;
}

#[cfg(schemas)]
impl<T: schemars::JsonSchema> Shaped for T {
    const SHAPE: Shape = |generator| generator.subschema_for::<T>();
}

/// What describes a type.
#[cfg(schemas)]
pub type Shape = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;
