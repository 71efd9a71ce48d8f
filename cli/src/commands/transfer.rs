//! stub
use crate::error::Error; use crate::remote::Remote; use clap::Args;
/// put
#[derive(Debug, Args)] pub struct Put {}
/// get
#[derive(Debug, Args)] pub struct Get {}
impl Put { /// x
 pub fn run(self,_:&Remote)->Result<(),Error>{Ok(())} }
impl Get { /// x
 pub fn run(self,_:&Remote)->Result<(),Error>{Ok(())} }
