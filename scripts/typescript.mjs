// Lets node run the sources: `node --import=./scripts/typescript.mjs file.ts`. It does for test files what tsx does, in
// two thirds of the time: imports name their files, so there is nothing to resolve, and what was compiled is kept.
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
  const { default: typescript } = await import('typescript')
  const { outputText } = typescript.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      target: typescript.ScriptTarget.ES2023,
      module: typescript.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      inlineSourceMap: true,
    },
  })
  // By another name first: other test processes read meanwhile.
  writeFileSync(`${cached}.${process.pid}`, outputText)
  renameSync(`${cached}.${process.pid}`, cached)
  return outputText
}
