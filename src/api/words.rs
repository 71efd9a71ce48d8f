//! Writes hints for the surface that shows them. The names of operations come from their
//! descriptors.

use crate::api::operation::{Descriptor, OperationKind, Tool};
use crate::api::tools::call_tool::CallTool;
use crate::api::{registry, tools};
use crate::domain::error::Instruction;
use crate::domain::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// The reader of a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// A model, which calls tools.
    Tools,
    /// A program or a person that uses the routes of HTTP.
    Http,
    /// A program that uses the methods of RPC.
    Rpc,
}

impl Surface {
    /// The surface of a call. A caller of a tool reads hints about tools.
    #[must_use]
    pub fn of_call(self, operation: &str) -> Self {
        if operation == CallTool::DESCRIPTOR.name { Self::Tools } else { self }
    }

    /// The name of an [`Instruction`]'s operation on this surface. None if the operation is
    /// unknown.
    fn name_of(self, id: &str) -> Option<String> {
        let named = Named::find(id)?;
        let call = CallTool::DESCRIPTOR;
        Some(match (self, named.operation, named.tool) {
            (Self::Tools, _, Some(tool)) => tool.name.to_owned(),
            (Self::Tools, operation, None) => {
                let name = operation?.name;
                format!("{name} (a call for the program that runs this session, not a tool)")
            }
            (Self::Http, operation, tool) => match (route_of(operation), tool) {
                (Some(route), _) => route,
                (None, tool) => route_of(Some(&call))?.replace("{tool}", tool?.name),
            },
            (Self::Rpc, Some(operation), _) => format!("{}()", operation.name),
            (Self::Rpc, None, tool) => format!("{}(\"{}\")", call.name, tool?.name),
        })
    }

    fn say(self, next: &Instruction) -> String {
        next.say(|id| self.name_of(id))
    }

    /// The error with its hint written for this surface.
    #[must_use]
    pub fn error(self, mut error: Error) -> Error {
        if let Some(next) = &error.next {
            error.hint = Some(self.say(next));
        }
        error
    }

    /// The answer with the hints of its errors written for this surface.
    #[must_use]
    pub fn value(self, mut value: Value) -> Value {
        self.reword(&mut value, true);
        value
    }

    /// The same as [`Self::value`] or [`Self::error`], for an answer or its error.
    ///
    /// # Errors
    /// The error.
    pub fn answer(self, answer: Result<Value>) -> Result<Value> {
        answer.map(|value| self.value(value)).map_err(|error| self.error(error))
    }

    /// Writes hints for a model, and removes the templates: a model reads only the hints.
    ///
    /// # Errors
    /// The error.
    pub fn for_model(answer: Result<Value>) -> Result<Value> {
        match answer {
            Ok(mut value) => {
                Self::Tools.reword(&mut value, false);
                Ok(value)
            }
            Err(error) => Err(Error { next: None, ..Self::Tools.error(error) }),
        }
    }

    fn reword(self, value: &mut Value, keep: bool) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.reword(item, keep)),
            Value::Object(fields) => {
                let next = fields.get("next").filter(|_| fields.contains_key("hint"));
                if let Some(Ok(next)) = next.map(Instruction::deserialize) {
                    fields.insert("hint".to_owned(), self.say(&next).into());
                    if !keep {
                        fields.remove("next");
                    }
                }
                fields.values_mut().for_each(|field| self.reword(field, keep));
            }
            _ => {}
        }
    }
}

/// The operation and the tool of an id in an [`Instruction`].
struct Named {
    operation: Option<&'static Descriptor>,
    tool: Option<&'static Tool>,
}

impl Named {
    fn find(id: &str) -> Option<Self> {
        if let Some(entry) = tools::by_name(id) {
            return Some(Self { operation: entry.operation, tool: Some(&entry.tool) });
        }
        let has_route = |of: &&Descriptor| of.routes.iter().any(|route| route.id == id);
        let operation = registry::all().map(|entry| entry.descriptor).find(has_route)?;
        let is_it = |of: &Descriptor| of.name == operation.name;
        let tool = tools::all().find(|entry| entry.operation.is_some_and(is_it));
        Some(Self { operation: Some(operation), tool: tool.map(|entry| &entry.tool) })
    }
}

/// The method and path of an operation, for example `POST /v1/sessions/{session}/rewind`.
fn route_of(operation: Option<&Descriptor>) -> Option<String> {
    let route = operation?.routes.first()?;
    Some(format!("{} {}", route.verb.as_str(), route.path))
}

#[cfg(all(test, schemas))]
mod tests {
    use super::*;
    use crate::domain::error::next::SENTENCES;
    use crate::domain::{ErrorCode, Next};
    use serde_json::json;
    use std::collections::{BTreeMap, BTreeSet};

    /// Operations that hints name although no tool does them.
    const WITHOUT_TOOL: [&str; 5] =
        ["destroyContainer", "exportSnapshot", "importBackup", "openSession", "startFresh"];

    fn ids() -> BTreeSet<&'static str> {
        let in_braces = SENTENCES.iter().flat_map(|(_, text, fields)| {
            let ids = text.split('{').skip(1).filter_map(|part| part.split('}').next());
            ids.filter(|id| !fields.contains(id))
        });
        in_braces.collect()
    }

    #[test]
    fn every_hint_names_operations_by_their_published_id() {
        for id in ids() {
            let named = Named::find(id).unwrap_or_else(|| panic!("{id} is no operation"));
            let route = named.operation.and_then(|operation| operation.routes.first());
            let published = route.map_or_else(|| named.tool.unwrap().name, |route| route.id);
            assert_eq!(id, published, "the id of its route, or else the tool's name");
            assert_eq!(named.tool.is_none(), WITHOUT_TOOL.contains(&id), "{id}");
            if let Some(operation) = named.operation {
                let entry = registry::by_name(operation.name).unwrap();
                assert!(entry.method.is_some(), "RPC has no {}", operation.name);
            }
        }
        assert!(ids().len() > 30);
    }

    #[test]
    fn every_hint_is_said_in_the_words_of_its_surface_alone() {
        let routes: BTreeSet<String> =
            registry::all().filter_map(|entry| route_of(Some(entry.descriptor))).collect();
        let verbs = ["GET ", "PUT ", "POST ", "PATCH ", "DELETE "];
        for (name, text, _) in SENTENCES {
            let next = Instruction { text: (*text).to_owned(), arguments: BTreeMap::new() };
            let tools = Surface::Tools.say(&next);
            let rpc = Surface::Rpc.say(&next);
            let http = Surface::Http.say(&next);
            for other in verbs.into_iter().chain(["()", "callTool"]) {
                assert!(!tools.contains(other), "{name} for models: {tools}");
            }
            for other in verbs {
                assert!(!rpc.contains(other), "{name} over RPC: {rpc}");
            }
            let without = |text: &str, around: &str| text.split(around).count() == 1;
            assert!(without(&rpc.replace("callTool(\"workspace_", ""), "workspace_"), "{rpc}");
            assert!(without(&http.replace("/tools/workspace_", ""), "workspace_"), "{http}");
            assert!(!http.contains("()"), "{name} over HTTP: {http}");
        }
        for id in ids() {
            let http = Surface::Http.name_of(id).unwrap();
            let tool = http.split_once("/tools/").map(|(_, name)| name);
            assert!(
                routes.contains(&http) || tool.is_some_and(|tool| tools::by_name(tool).is_some()),
                "{http}"
            );
        }
    }

    #[test]
    fn each_surface_has_its_own_words() {
        let error = || Error::new(ErrorCode::Conflict, "exists").with_hint(Next::RenameOrRemove);
        let said = |surface: Surface| surface.error(error()).hint.unwrap();
        let begin = "choose another name, or remove what already exists there with ";
        let of = |name: &str| format!("{begin}{name}");
        assert_eq!(said(Surface::Tools), of("workspace_rm"));
        assert_eq!(said(Surface::Rpc), of("callTool(\"workspace_rm\")"));
        assert_eq!(
            said(Surface::Http),
            of("POST /v1/sessions/{session}/tools/workspace_rm"),
            "a tool without a route of its own"
        );
        let switch = |surface: Surface| surface.name_of("setActiveWorkspace").unwrap();
        assert_eq!(switch(Surface::Tools), "workspace_switch");
        assert_eq!(switch(Surface::Rpc), "switch()");
        assert_eq!(switch(Surface::Http), "PUT /v1/sessions/{session}/active-workspace");
        let fresh = Surface::Tools.name_of("startFresh").unwrap();
        assert!(fresh.starts_with("startFresh (a call for the program"), "{fresh}");
        assert_eq!(Surface::Rpc.of_call("callTool"), Surface::Tools);
        assert_eq!(Surface::Rpc.of_call("rewind"), Surface::Rpc);
    }

    #[test]
    fn errors_within_answers_are_reworded_too_and_nothing_else_is() {
        let error = Error::new(ErrorCode::Conflict, "no").with_hint(Next::Switch).to_wire();
        let others = json!({
            "next": { "text": "{rewind}" },
            "list": [{ "hint": "{rewind}", "next": "page 2" }, { "hint": "as it is" }],
        });
        let answer = || json!({ "forks": [error, { "ref": 1 }], "others": others });
        let told = Surface::Http.value(answer());
        let (hint, next) = (&told["forks"][0]["error"]["hint"], &told["forks"][0]["error"]["next"]);
        assert_eq!(*hint, "switch to it with PUT /v1/sessions/{session}/active-workspace");
        assert_eq!(next["text"], "switch to it with {setActiveWorkspace}");
        assert_eq!(told["others"], others);
        let told = Surface::for_model(Ok(answer())).unwrap();
        let error = &told["forks"][0]["error"];
        assert_eq!(error["hint"], "switch to it with workspace_switch");
        assert_eq!(error.get("next"), None);
        assert_eq!(told["others"], others);
        let failed = Error::new(ErrorCode::Conflict, "no").with_hint(Next::Switch);
        let failed = Surface::for_model(Err(failed)).unwrap_err();
        assert_eq!(failed.hint.as_deref(), Some("switch to it with workspace_switch"));
        assert_eq!(failed.next, None);
    }

    #[test]
    fn an_instruction_of_another_version_is_said_as_well_as_can_be() {
        let text = "call {rewind}, {somethingNew} or {x}".to_owned();
        let arguments = BTreeMap::from([("x".to_owned(), "y".to_owned())]);
        let said = Surface::Rpc.say(&Instruction { text, arguments });
        assert_eq!(said, "call rewind(), somethingNew or y");
    }
}
