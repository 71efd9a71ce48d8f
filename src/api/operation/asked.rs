//! Reads a request according to its row of the table.

use crate::api::operation::{OperatorCall, ParamKind, Route, Serve};
use crate::domain::arguments::read;
use crate::domain::{Error, Result, SandboxId, SessionId, WorkspaceRef};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A route, and the values of the parameters in its path.
#[derive(Debug)]
pub struct Matched {
    /// The row of the table.
    pub route: &'static Route,
    pub(crate) captured: Vec<(&'static str, String)>,
}

impl Matched {
    /// The session that the path names.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not a session id.
    pub fn session(&self) -> Result<SessionId> {
        SessionId::parse(self.path("session")?)
    }

    /// The value of a parameter of the path.
    fn path(&self, name: &str) -> Result<&str> {
        let found = self.captured.iter().find(|(captured, _)| *captured == name);
        found
            .map(|(_, value)| value.as_str())
            .ok_or_else(|| Error::internal(format!("{} has no {{{name}}}", self.route.path)))
    }
}

/// A request whose route is known.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The request's route.
    pub matched: &'a Matched,
    /// Query parameters, percent-decoded.
    pub query: &'a [(String, String)],
    /// Looks up a header.
    pub header: &'a dyn Fn(&str) -> Option<String>,
    /// The body. Empty if there is none.
    pub body: &'a [u8],
}

impl Asked<'_> {
    /// Reads a call of the operator, which acts across sessions.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the parameter or field.
    pub fn operator_call(&self) -> Result<OperatorCall> {
        let route = self.matched.route;
        let Serve::Operator(call) = route.serve else {
            return Err(Error::internal(format!("{} is not the operator's", route.id)));
        };
        self.check_taken()?;
        call(self)
    }

    /// Refuses a parameter or a body that the route does not take: a caller that sends `dryRun`
    /// relies on its effect.
    pub(crate) fn check_taken(&self) -> Result<()> {
        self.query_args()?;
        let takes_none = self.matched.route.body.is_none();
        let says_nothing = || match serde_json::from_slice(self.body) {
            Ok(Value::Object(fields)) => fields.is_empty(),
            Ok(value) => value.is_null(),
            Err(_not_json) => self.body.is_empty(),
        };
        if takes_none && !says_nothing() {
            return Err(Error::invalid("body", "is not taken by this call")
                .with_hint("leave it out; GET /openapi.json describes what each call takes"));
        }
        Ok(())
    }

    /// A parameter of the path.
    ///
    /// # Errors
    /// `INTERNAL` if the route has no parameter of this name.
    pub fn path(&self, name: &str) -> Result<&str> {
        self.matched.path(name)
    }

    /// An id in the path.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the parameter, if its value is not such an id.
    pub fn path_id<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        read(name, json!(self.path(name)?))
    }

    /// The workspace that must be active according to `If-Match`. The header has the `ETag` of an
    /// active workspace. None if the header is absent or `*`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other value.
    pub fn if_match(&self) -> Result<Option<WorkspaceRef>> {
        let Some(header) = (self.header)("if-match") else { return Ok(None) };
        if header.trim() == "*" {
            return Ok(None);
        }
        let tag = header.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let id = tag.and_then(|tag| SandboxId::parse(tag).ok()).ok_or_else(|| {
            Error::invalid("If-Match", "must be * or one ETag of the active workspace")
        })?;
        Ok(Some(WorkspaceRef::new(id)))
    }

    /// Reads the query as arguments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the parameter.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T> {
        read("query", self.query_args()?)
    }

    /// A flag of the query; absent is false.
    ///
    /// # Errors
    /// The errors of [`Self::query`].
    pub fn flag(&self, name: &str) -> Result<bool> {
        let query: Map<String, Value> = self.query()?;
        Ok(query.get(name).and_then(Value::as_bool).unwrap_or_default())
    }

    /// The workspace that the query names. None: the active one.
    ///
    /// # Errors
    /// The errors of [`Self::query`].
    pub fn workspace(&self) -> Result<Option<WorkspaceRef>> {
        let mut query: Map<String, Value> = self.query()?;
        query.remove("workspace").map(|id| read("workspace", id)).transpose()
    }

    /// Reads the body as arguments. An empty body is an empty object.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong with the body.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T> {
        if self.body.is_empty() {
            return read("body", json!({}));
        }
        match serde_json::from_slice(self.body) {
            Ok(object @ Value::Object(_)) => read("body", object),
            Ok(_) => Err(Error::invalid("body", "must be a JSON object")),
            Err(error) => Err(Error::invalid("body", format!("is not JSON: {error}"))),
        }
    }

    /// Reads the body as arguments. One argument comes from the path's parameter of the same name.
    ///
    /// # Errors
    /// The errors of [`Self::body`]; also `INVALID_ARGUMENT` if the body has the path's argument,
    /// too.
    pub fn body_with<T: DeserializeOwned>(&self, name: &str) -> Result<T> {
        let mut args: Map<String, Value> = self.body()?;
        if args.insert(name.to_owned(), json!(self.path(name)?)).is_some() {
            return Err(Error::invalid(
                "body",
                format!("must not have {name}, which the path names"),
            ));
        }
        read("body", Value::Object(args))
    }

    fn query_args(&self) -> Result<Value> {
        let mut args = Map::new();
        for (name, value) in self.query {
            let declared = self.matched.route.query.iter().find(|param| param.name == name);
            let Some(param) = declared else {
                return Err(Error::invalid("query", format!("has no parameter {name:?}")));
            };
            let read = param.read(value)?;
            match (param.kind, args.get_mut(name)) {
                (ParamKind::Texts { .. }, Some(Value::Array(values))) => values.push(read),
                (ParamKind::Texts { .. }, _) => {
                    args.insert(name.clone(), json!([read]));
                }
                (_, Some(_)) => return Err(Error::invalid(name, "is given twice")),
                (_, None) => {
                    args.insert(name.clone(), read);
                }
            }
        }
        Ok(Value::Object(args))
    }
}
