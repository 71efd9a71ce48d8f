//! stub
use crate::error::Error; use crate::remote::Remote; use clap::Args;
/// repl
#[derive(Debug, Args)] pub struct Repl {}
impl Repl { /// x
 pub fn run(self,_:&Remote)->Result<(),Error>{Ok(())} }
