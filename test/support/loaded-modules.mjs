// Preloaded with `--import`: writes to the file LOADED_MODULES which modules a process has loaded, a line each.
import { appendFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const { LOADED_MODULES = '' } = process.env
/** @param {readonly string[]} urls */
const note = (urls) => appendFileSync(LOADED_MODULES, urls.map((url) => `${url}\n`).join(''))

if (isMainThread) {
  module.register(import.meta.url)
  const { cache } = createRequire(import.meta.url)
  process.on('exit', () => note(Object.keys(cache).map((path) => pathToFileURL(path).href)))
}

/** The hook of node that reads an ES module, or a CommonJS module that one imports. */
export const load = (url, context, nextLoad) => {
  note([url])
  return nextLoad(url, context)
}
