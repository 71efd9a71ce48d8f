//! Put the files of a tar archive into a directory.

use crate::api::operation::{
    Call, DIRECTORY, Descriptor, ENTERS, LogFields, Method, Operation, OperationKind, Reply, Route,
    TAR, Verb, WORKSPACE, answer,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ImportedTar;
use crate::session::{ArchiveRequest, Placed};

pub(crate) struct ImportTar;

impl OperationKind for ImportTar {
    type Input = ArchiveRequest;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}/archive",
            "importArchive",
            "Import a tar archive into a directory",
            |asked| Ok(Operation::of::<ImportTar>(asked.query()?)),
        )
        .describe(
            "All or nothing: a refused or broken archive changes nothing. Files replace files of the same name; \
            directories are merged.",
        )
        .query(&[DIRECTORY, WORKSPACE])
        .receives(TAR)
        .answers::<Placed<ImportedTar>>()
        .errors(ENTERS)],
        ..Descriptor::new("importTar", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ArchiveRequest>().receives().describe(
        "Extracts an uncompressed tar archive into a directory of a workspace, which \
             is made if it does not exist. Each file replaces the one of its name at once; \
             directories are merged. Files belong to root and keep their modes, without setuid, \
             setgid and sticky bits, and their attributes `user.*`; `dropped` counts the entries \
             that lost something. At most 4 GiB, 500,000 entries, and 4 GiB in files.\n\n\
             The archive is refused as a whole, with the entry named and nothing changed, for: \
             names that are absolute or contain `..`, hard links to files outside the archive, \
             entries behind a symbolic link in the archive or the workspace, entries other than \
             files, directories and links, and an archive that is broken or cut off. `CONFLICT` \
             if a directory and something else have the same name.",
    ));

    fn log(input: &ArchiveRequest, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(mut call: Call<'_>, input: ArchiveRequest) -> Result<Reply> {
        let archive = call.stream("the archive")?;
        answer(&call.session.import_tar(input, archive).await?)
    }
}
