import { count } from '../../core/count.ts'
import type { Hash } from '../../core/record-hash.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import type { KindName } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { unlistedFindings } from '../operation/misfit.ts'
import { NamedIds } from './named-ids.ts'
import { SumSet, sumOf } from './sum-set.ts'

/** So many records are looked for in the list of their kind at a time. */
const AT_A_TIME = 500

interface Level {
  readonly level: 'error' | 'warning'
}

/** Says what is wrong with a record; without a hash, its key has another type. */
type Lint = (id: string, hash: Hash | undefined) => readonly Level[] | Promise<readonly Level[]>

/** What is wrong with the records of a kind, which it is shown one by one. It keeps a number for each, and no record. */
export class LintRun {
  readonly kind: KindName
  readonly #store: RecordStore
  readonly #lint: Lint
  readonly #seen = new SumSet()
  readonly #found = { error: new NamedIds(), warning: new NamedIds() }
  #some: string[] = []

  constructor(store: RecordStore, kind: KindName, lint: Lint) {
    this.#store = store
    this.kind = kind
    this.#lint = lint
  }

  /** Looks at a record that a walk found, which may repeat it. */
  async look(id: string, hash: Hash | undefined): Promise<void> {
    const sum = sumOf(id)
    if (this.#seen.has(sum)) return
    this.#seen.add(sum)
    this.#some.push(id)
    for (const { level } of await this.#lint(id, hash)) this.add(id, level)
    if (this.#some.length >= AT_A_TIME) await this.#findUnlisted()
  }

  /** Adds what only all records together tell. */
  add(id: string, level: Level['level']): void {
    this.#found[level].add(id)
  }

  /** Returns the finding about all records that it was shown. */
  async finding(check = `${this.kind.name}s`): Promise<Finding> {
    await this.#findUnlisted()
    const { ok, warning, problem } = findingsOf(check)
    const { name } = this.kind
    const total = this.#seen.size
    const advice = `Run redmint ${name} lint.`
    const { error, warning: warned } = this.#found
    if (error.size > 0) return problem(`servers refuse ${error.listedOf(total)}`, advice)
    if (warned.size > 0) return warning(`probably wrong: ${warned.listedOf(total)}`, advice)
    return ok(`${count(total, name)}, none with a finding`)
  }

  async #findUnlisted(): Promise<void> {
    const some = this.#some
    this.#some = []
    for (const { id } of await unlistedFindings(this.#store, this.kind, 'id', some)) this.add(id, 'warning')
  }
}
