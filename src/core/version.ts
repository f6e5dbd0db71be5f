import { createRequire } from 'node:module'

// By package name, which works in the sources and in the compiled files in dist/.
const { version } = createRequire(import.meta.url)('redmint/package.json') as { version: string }

/** The version of redmint, from package.json. */
export const VERSION = version
