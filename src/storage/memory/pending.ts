import type { Hash } from '../../core/record-hash.ts'
import { formatPending, type PendingRecord } from '../../interaction/pending-record.ts'
import type { CodeRecord } from '../../tokens/code-record.ts'
import { assertToken, grantOfTokens, pendingOf } from '../common.ts'
import type { Changed, PendingStore } from '../storage.ts'
import { ExpiringMap } from './expiring-map.ts'
import { asStored } from './records.ts'
import { MemoryTokens } from './tokens.ts'

/** Requests in memory that wait for a person. */
export abstract class MemoryPending extends MemoryTokens implements PendingStore {
  readonly #pending = new ExpiringMap<Hash>(this.now)

  async savePending(id: string, record: PendingRecord, ttl: number): Promise<void> {
    this.assertOpen()
    assertToken(id)
    this.#pending.set(id, asStored(formatPending(record)), this.now() + ttl * 1000)
  }

  async readPending(id: string): Promise<PendingRecord | undefined> {
    this.assertOpen()
    const hash = this.#pending.get(id)
    return hash && pendingOf(hash)
  }

  async changePending(id: string, set: Partial<PendingRecord>): Promise<Changed> {
    this.assertOpen()
    if (this.#pending.get(id) === undefined) return 'missing'
    this.#pending.update(id, (record) => ({ ...record, ...asStored(formatPending(set)) }))
    return 'ok'
  }

  async finishPending(
    id: string,
    code?: { code: string; record: CodeRecord; ttl: number },
  ): Promise<Changed> {
    this.assertOpen()
    grantOfTokens(id, code?.code)
    if (this.#pending.take(id) === undefined) return 'missing'
    if (code !== undefined) await this.saveCode(code.code, code.record, code.ttl)
    return 'ok'
  }
}
