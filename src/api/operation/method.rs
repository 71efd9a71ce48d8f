//! An operation's method over RPC.
//!
//! `entry/methods.json` and `entry/snapshotter.d.ts` are generated from it. The objects' methods
//! make their calls by `entry/methods.json`. The Worker itself does not read it.

use crate::api::operation::shape::{Shape, Shaped};

/// How a caller calls an operation as a method of the session's object.
#[derive(Clone, Copy)]
pub struct Method {
    /// What the method does. If empty, the description of the operation's route applies.
    pub description: &'static str,
    /// The type of the arguments.
    pub input: Shape,
    /// The positional arguments. The others are fields of the last argument, `options`.
    pub positions: &'static [&'static str],
    /// Whether the first argument is a stream.
    pub receives: bool,
    /// Whether a signal or a name can cancel the call.
    pub cancellable: bool,
    /// The type of the answer. None: the type of the route's answer.
    pub answer: Option<Shape>,
    /// What the method resolves to.
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
    /// A method with these arguments.
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

    /// Says what the method does, if the route says too little.
    #[must_use]
    pub const fn describe(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    /// Makes these arguments positional, in this order.
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

    /// Answers with this type. For a stream, this is the type of its events.
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
