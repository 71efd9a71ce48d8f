// node -e THIS DIR: runs the file DIR/code, and writes the value of its last statement to DIR/result, as value.js shows
// it. A promise is awaited.
//
// The code runs as a script, named code.js in stack traces. If it does not compile as one (await, return), it runs as
// the body of an async function. Either way an error rejects an unhandled promise: node prints it and exits with 1.
const directory = process.argv[1];
const source = fs.readFileSync(`${directory}/code`, "utf8");

function compiled() {
  const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const options = { filename: "code.js", importModuleDynamically };
  try {
    return new vm.Script(source, options);
  } catch (first) {
    try {
      return new vm.Script(`(async () => {\n${source}\n})()`, { ...options, lineOffset: -1 });
    } catch {
      throw first;
    }
  }
}

(async () => {
  const value = await compiled().runInThisContext();
  if (value !== undefined) fs.writeFileSync(`${directory}/result`, shown(value));
})();
