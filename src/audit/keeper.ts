import type { ReportEvent } from '../core/events.ts'
import type { Log } from '../core/log.ts'
import { PollingWorker } from '../core/worker.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { type ChainContext, ChainError, type SeenChain, sealEntries } from './chain.ts'
import { PARTS, partOf, type TrailPartName } from './parts.ts'
import { type TrimContext, trimTrail } from './trim.ts'

/** What the keeper works with. */
export interface KeeperContext extends Omit<TrimContext, 'report' | 'settings'> {
  readonly settings: TrimContext['settings'] & ChainContext['settings']
  readonly log: Log
  readonly report: ReportEvent
}

/** How often each server looks after the audit trail, in milliseconds. */
const EVERY = 2000

/** Looks after the audit trail: moves what is beside its records, deletes what is old, and continues the chain. */
export class AuditKeeper extends PollingWorker {
  readonly #context: KeeperContext
  readonly #seen: Readonly<Record<TrailPartName, SeenChain>> = { changes: {}, repeated: {} }
  #is_broken = false

  constructor(context: KeeperContext, every = EVERY) {
    super(
      () => this.#work(),
      () => every,
    )
    this.#context = context
  }

  async #work(): Promise<void> {
    try {
      await this.#context.storage.trail.collect()
      for (const part of PARTS) {
        await trimTrail(this.#context, part)
        await sealEntries(partOf(this.#context.storage.trail, part), this.#context, this.#seen[part])
      }
      this.#is_broken = false
    } catch (error) {
      // Storage logs why it is unavailable.
      if (error instanceof StorageUnavailable || this.#is_broken) return
      this.#is_broken = true
      const message = error instanceof ChainError ? error.message : 'A bug prevented work on the audit trail.'
      this.#context.log.error(error instanceof ChainError ? {} : { err: error }, message)
    }
  }
}
