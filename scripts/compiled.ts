/** Returns the path of the compiled form of a source, below the folder of the run. */
export function compiled(source: string): string {
  return source.replace(/\.ts$/, '.js')
}

/** Where the bundles of `server.ts`, `cli.ts` and the exports are, in the folder of the run. */
export const BUNDLES = 'bundles'
