import { Session } from 'node:inspector'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Script {
  scriptId: string
  url: string
  functions: { ranges: Range[] }[]
}

/** Finds out which code runs for the first time, by the block coverage of V8. Only one at a time in a process. */
export class Coverage {
  /** The URLs of the watched scripts that have run. */
  readonly urls = new Set<string>()
  readonly #session = new Session()
  readonly #isWatched: (url: string) => boolean
  /** For each script a flag for each character that counts as run. */
  readonly #kept = new Map<string, Uint8Array>()

  /** @param isWatched whether the code of a URL counts */
  constructor(isWatched: (url: string) => boolean) {
    this.#isWatched = isWatched
    this.#session.connect()
    this.#ask('Profiler.enable')
    this.#ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Whether code that does not count as run has run since the last call of either method. */
  isNew(): boolean {
    return this.#take().some((script) => this.#added(script).length > 0)
  }

  /** As isNew; from now on that code counts as run. */
  keep(): boolean {
    const scripts = this.#take().map((script) => ({ script, added: this.#added(script) }))
    for (const { script, added } of scripts) {
      const flags = this.#flags(script)
      for (const offset of added) flags[offset] = 1
    }
    return scripts.some(({ added }) => added.length > 0)
  }

  close(): void {
    this.#session.disconnect()
  }

  /** The offsets of a script that ran and do not count as run yet. */
  #added(script: Script): number[] {
    const kept = this.#flags(script)
    const ran = new Uint8Array(kept.length)
    // An inner range follows the one around it.
    for (const { startOffset, endOffset, count } of script.functions.flatMap(({ ranges }) => ranges)) {
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
    }
    return [...ran.keys()].filter((offset) => ran[offset] === 1 && kept[offset] === 0)
  }

  #flags({ scriptId, functions }: Script): Uint8Array {
    const length = Math.max(...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)))
    const known = this.#kept.get(scriptId)
    if (known !== undefined && known.length >= length) return known
    const flags = new Uint8Array(length)
    flags.set(known ?? [])
    this.#kept.set(scriptId, flags)
    return flags
  }

  #take(): Script[] {
    const { result } = this.#ask<{ result: Script[] }>('Profiler.takePreciseCoverage')
    const watched = result.filter(({ url, functions }) => this.#isWatched(url) && functions.length > 0)
    for (const { url } of watched) this.urls.add(url)
    return watched
  }

  #ask<T>(method: string, parameters: object = {}): T {
    let outcome: { error: Error | null; result: unknown } | undefined
    // A session of this thread answers before `post` returns.
    this.#session.post(method, parameters, (error, result) => {
      outcome = { error, result }
    })
    if (outcome === undefined) throw new Error(`${method}: no answer`)
    if (outcome.error !== null) throw outcome.error
    return outcome.result as T
  }
}
