// Lets node run one test file: `node --import=./scripts/typescript.mjs test/main/app.test.ts`. It does what tsx does, in two
// thirds of the time: imports name their files, so there is nothing to resolve, and what was compiled is kept.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

const CACHE = fileURLToPath(new URL('../node_modules/.cache/redmint/typescript/', import.meta.url))
// Before Node 24, node warns of it.
const NODE_ERASES_TYPES = process.features.typescript && Number.parseInt(process.versions.node, 10) >= 24
const SOURCE = /^file:.*\.ts(\?|$)/

if (isMainThread) {
  // From Node 22 on.
  module.enableCompileCache?.()
  if (!NODE_ERASES_TYPES) {
    mkdirSync(CACHE, { recursive: true })
    process.setSourceMapsEnabled(true)
    module.register(import.meta.url)
  }
}

/** The hook of node that reads a module: answers a source of ours as JavaScript, leaves all else to the next hook. */
export async function load(url, context, nextLoad) {
  if (!SOURCE.test(url)) return nextLoad(url, context)
  const path = fileURLToPath(url)
  const text = readFileSync(path, 'utf8')
  const cached = CACHE + createHash('sha256').update(`${path}\n${text}`).digest('hex')
  return { format: 'module', source: read(cached) ?? (await compile(path, text, cached)), shortCircuit: true }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

async function compile(path, text, cached) {
  const { transform } = await import('esbuild')
  const { code } = await transform(text, {
    loader: 'ts',
    target: 'node20',
    sourcefile: path,
    sourcemap: 'inline',
  })
  // By another name first: other test processes read meanwhile.
  writeFileSync(`${cached}.${process.pid}`, code)
  renameSync(`${cached}.${process.pid}`, cached)
  return code
}
