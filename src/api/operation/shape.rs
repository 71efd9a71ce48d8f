//! Schemas of bodies and answers, for the OpenAPI document.

/// A type that a route takes or gives as JSON. Builds that generate the OpenAPI document know its
/// schema; the Worker has none.
#[cfg(not(schemas))]
pub trait Shaped {
    /// No schema.
    const SHAPE: Shape = ();
}

#[cfg(not(schemas))]
impl<T> Shaped for T {}

/// The generator of a type's schema.
#[cfg(not(schemas))]
pub type Shape = ();

/// A type that a route takes or gives as JSON. Builds that generate the OpenAPI document know its
/// schema; the Worker has none.
#[cfg(schemas)]
pub trait Shaped {
    /// The type's JSON Schema.
    const SHAPE: Shape;
}

#[cfg(schemas)]
impl<T: schemars::JsonSchema> Shaped for T {
    const SHAPE: Shape = |generator| generator.subschema_for::<T>();
}

/// The generator of a type's schema.
#[cfg(schemas)]
pub type Shape = fn(&mut schemars::SchemaGenerator) -> schemars::Schema;
