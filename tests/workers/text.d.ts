/** The bundler imports such a file as its text. */
declare module "*.py" {
  const text: string;
  export default text;
}
