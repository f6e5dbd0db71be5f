import { parseToken } from '../../core/token-string.ts'
import { formatPending, type PendingRecord } from '../../interaction/pending-record.ts'
import { type CodeRecord, formatCode } from '../../tokens/code-record.ts'
import { grantOfTokens, pendingOf } from '../common.ts'
import type { Changed, PendingStore } from '../storage.ts'
import { flat, unflat } from './base.ts'
import { RedisSessions } from './sessions.ts'

/** Requests on Redis that wait for a person. */
export abstract class RedisPending extends RedisSessions implements PendingStore {
  async savePending(id: string, record: PendingRecord, ttl: number): Promise<void> {
    await this.write('save-pending', [this.keys.pending(id)], [ttl, ...flat(formatPending(record))])
  }

  async readPending(id: string): Promise<PendingRecord | undefined> {
    if (parseToken(id) === undefined) return undefined
    return pendingOf(unflat(await this.run('read-pending', [this.keys.pending(id)], [])))
  }

  async changePending(id: string, set: Partial<PendingRecord>): Promise<Changed> {
    if (parseToken(id) === undefined) return 'missing'
    return (await this.write('change-pending', [this.keys.pending(id)], flat(formatPending(set)))) as Changed
  }

  async finishPending(
    id: string,
    code?: { code: string; record: CodeRecord; ttl: number },
  ): Promise<Changed> {
    if (grantOfTokens(id, code?.code) === undefined) return 'missing'
    const keys = [this.keys.pending(id), ...(code === undefined ? [] : [this.keys.code(code.code)])]
    const args = code === undefined ? [] : [code.ttl, ...flat(formatCode(code.record))]
    return (await this.write('finish-pending', keys, args)) as Changed
  }
}
