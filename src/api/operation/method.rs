//! An operation's method over RPC.
//!
//! `entry/methods.json`, by which the objects' methods make their calls, and
//! `entry/snapshotter.d.ts` are made from it. The Worker itself does not read it.

use crate::api::schema::shape::{Shape, Shaped};

/// How a caller calls an operation as a method of the session's object.
#[derive(Clone, Copy)]
pub struct Method {
    /// What it does. Empty: what the operation's route says.
    pub description: &'static str,
    /// The type of its arguments.
    pub input: Shape,
    /// Arguments that have their own place. The others are fields of the last one,
    /// `options`.
    pub positions: &'static [&'static str],
    /// Its first argument is a stream.
    pub receives: bool,
    /// It can be cancelled, by a signal or by name.
    pub cancellable: bool,
    /// The type of its answer. Absent: that of the operation's route.
    pub answer: Option<Shape>,
    /// What it resolves to.
    pub resolves: Resolves,
}

/// What a method resolves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolves {
    /// The answer.
    Answer,
    /// A field of the answer.
    Field(&'static str),
    /// Nothing.
    Nothing,
    /// A stream of bytes.
    Stream,
}

impl Method {
    /// A method that takes these arguments.
    #[must_use]
    pub const fn takes<T: Shaped>() -> Self {
        Self {
            description: "",
            input: T::SHAPE,
            positions: &[],
            receives: false,
            cancellable: false,
            answer: None,
            resolves: Resolves::Answer,
        }
    }

    /// Says what it does, where the route says too little.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Gives these arguments their own places, in this order.
    #[must_use]
    pub const fn at(mut self, positions: &'static [&'static str]) -> Self {
        self.positions = positions;
        self
    }

    /// Reads a stream.
    #[must_use]
    pub const fn receives(mut self) -> Self {
        self.receives = true;
        self
    }

    /// Can be cancelled.
    #[must_use]
    pub const fn cancellable(mut self) -> Self {
        self.cancellable = true;
        self
    }

    /// Answers this type. In a stream, the type of its events.
    #[must_use]
    pub const fn answers<T: Shaped>(mut self) -> Self {
        self.answer = Some(T::SHAPE);
        self
    }

    /// Resolves to a part of the answer.
    #[must_use]
    pub const fn resolves(mut self, to: Resolves) -> Self {
        self.resolves = to;
        self
    }
}
