/** Files of Swagger UI that esbuild puts into the bundle as text (`with { type: 'text' }`). */
declare module 'swagger-ui-dist/*' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: what an import of a text file gives
  export default text;
}
