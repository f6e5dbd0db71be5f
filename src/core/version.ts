import { createRequire } from 'node:module'

// By the name of the package, so that the sources and the compiled files in dist/ both find it.
const { version } = createRequire(import.meta.url)('redmint/package.json') as { version: string }

/** The version of redmint, from package.json. */
export const VERSION = version
