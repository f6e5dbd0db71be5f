import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Random } from '../proof/chaos/random.ts'
import { Coverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import type { Target } from './target.ts'

/** How far a search goes: so many inputs, or so many seconds. */
export type Effort = { inputs: number } | { seconds: number }

export interface Exploration {
  /** How many inputs were tried. */
  tried: number
  /** Inputs that reached code which none before them had reached. */
  corpus: string[]
  /** An input that breaks the property, as short as could be found, and the error. */
  broken?: { input: string; error: unknown }
}

interface Search {
  seed: number
  /** Inputs to start from. */
  corpus: readonly string[]
  effort: Effort
  /** Whether the code of a URL guides the search. */
  isWatched: (url: string) => boolean
}

// Asking for the coverage takes as long as some hundred inputs.
const BATCH = 64
// As a source or compiled.
const OWN_CODE = /^file:(?!.*\/node_modules\/).*\/(?:src|plugins)\/.*\.[jt]s$/
const LITERAL = /['"]([^'"\\\n]{1,24})['"]/g

/**
 * Searches for an input that breaks a property. It mutates inputs, and keeps those that reach new code, so that the next
 * mutations start behind the checks that they passed. String literals of the code are among the words that are tried.
 */
export async function explore(target: Pick<Target, 'words' | 'check'>, search: Search): Promise<Exploration> {
  const random = new Random(search.seed)
  const coverage = new Coverage(search.isWatched)
  const corpus = [...search.corpus, ...target.words, '']
  const words = [...target.words]
  const isOver = limit(search.effort)
  let tried = 0
  /** Tries inputs; returns the first one that breaks the property. */
  const attempt = async (inputs: readonly string[]) => {
    for (const input of inputs) {
      tried += 1
      const error = await violation(target, input)
      if (error !== undefined) return { input, error }
    }
    return undefined
  }
  try {
    let broken = await attempt(corpus)
    coverage.keep()
    words.push(...(await literals(coverage.urls)), '\n')
    while (broken === undefined && !isOver(tried)) {
      // The newest inputs got furthest.
      const parents = Array.from(
        { length: BATCH },
        () => corpus[Math.floor(corpus.length * (1 - random.next() ** 2))] ?? '',
      )
      const children = parents.map((parent) => mutate(parent, random, corpus, words))
      broken = await attempt(children)
      if (broken !== undefined || !coverage.isNew()) continue
      for (const child of children) {
        broken ??= await attempt([child])
        if (coverage.keep()) corpus.push(child)
      }
    }
    const found = broken === undefined ? {} : { broken: await shorten(target, broken) }
    return { tried, corpus: corpus.slice(search.corpus.length), ...found }
  } finally {
    coverage.close()
  }
}

async function violation(target: Pick<Target, 'check'>, input: string): Promise<unknown> {
  try {
    await target.check(input)
    return undefined
  } catch (error) {
    return error
  }
}

/** Leaves out parts as long as the property stays broken. */
async function shorten(target: Pick<Target, 'check'>, found: { input: string; error: unknown }) {
  let { input, error } = found
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < input.length; ) {
      const shorter = input.slice(0, start) + input.slice(start + size)
      const next = await violation(target, shorter)
      if (next === undefined) start += size
      else [input, error] = [shorter, next]
    }
  }
  return { input, error }
}

function limit(effort: Effort): (tried: number) => boolean {
  if ('inputs' in effort) return (tried) => tried >= effort.inputs
  const end = performance.now() + effort.seconds * 1000
  return () => performance.now() >= end
}

async function literals(urls: Iterable<string>): Promise<string[]> {
  const sources = await Promise.all([...urls].map((url) => readFile(fileURLToPath(url), 'utf8')))
  return [...new Set(sources.flatMap((source) => [...source.matchAll(LITERAL)].map(([, text = '']) => text)))]
}

/** Whether a URL is of redmint's own code: neither a package nor a test. */
export function isOwnCode(url: string): boolean {
  return OWN_CODE.test(url)
}
