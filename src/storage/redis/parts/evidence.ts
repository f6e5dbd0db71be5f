import type { AuditEntries } from '../../../core/audit-entries.ts'
import { parseObject } from '../../../core/json.ts'
import {
  EVIDENCE_PER_ACCOUNT,
  type Evidence,
  type EvidenceStore,
  evidenceTag,
  type KeptEvidence,
  type Taken,
} from '../../evidence.ts'
import type { RedisAccess } from './access.ts'
import { withTrail } from './trail.ts'

/** Evidence in Redis: a hash for each account. */
export class RedisEvidence implements EvidenceStore {
  readonly #access: RedisAccess

  constructor(access: RedisAccess) {
    this.#access = access
  }

  async give(digest: string, evidence: KeptEvidence, told?: AuditEntries): Promise<void> {
    const { account, purpose, browser, ends_at } = evidence
    const key = this.#keyOf(evidenceTag(account))
    await withTrail(this.#access, key, told, ({ keys, args }) =>
      this.#access.write('give-evidence', [key, ...keys], {
        digest,
        purpose,
        browser,
        max: EVIDENCE_PER_ACCOUNT,
        ends_at,
        text: JSON.stringify(evidence),
        entries: args,
      }),
    )
  }

  async read(tag: string, digest: string): Promise<KeptEvidence | undefined> {
    const text = await this.#access.run('read-evidence', [this.#keyOf(tag)], { digest })
    return text === null ? undefined : live(text)
  }

  take(tag: string, digest: string, expected: Evidence, told?: AuditEntries): Promise<Taken> {
    const { purpose, step, browser, value, account_state } = expected
    const key = this.#keyOf(tag)
    return withTrail(this.#access, key, told, ({ keys, args }) =>
      this.#access.write('take-evidence', [key, ...keys], {
        digest,
        purpose,
        step,
        browser,
        value,
        account_state,
        entries: args,
      }),
    )
  }

  async list(tag: string): Promise<ReadonlyMap<string, KeptEvidence>> {
    const hash = (await this.#access.readHash(this.#keyOf(tag))) ?? {}
    return new Map(
      Object.entries(hash).flatMap(([digest, text]) => {
        const evidence = live(text)
        return evidence === undefined ? [] : [[digest, evidence] as const]
      }),
    )
  }

  async end(tag: string, digest?: string): Promise<void> {
    const key = this.#keyOf(tag)
    if (digest === undefined) await this.#access.command('end-evidence', 'del', key)
    else await this.#access.command('end-evidence', 'hdel', key, digest)
  }

  async endMadeBefore(time: number): Promise<number> {
    const prefix = this.#access.keys.evidences
    let ended = 0
    for await (const { name, hash } of this.#access.scan(prefix)) {
      const made = Object.entries(hash).filter(([, text]) => isMadeBefore(text, time))
      const digests = made.map(([digest]) => digest)
      if (digests.length === 0) continue
      ended += await this.#access.command<number>('end-evidence', 'hdel', prefix + name, ...digests)
    }
    return ended
  }

  #keyOf(tag: string): string {
    return this.#access.keys.evidence(tag)
  }
}

/** Reads evidence; undefined: it has ended. */
function live(text: string): KeptEvidence | undefined {
  const evidence: KeptEvidence = JSON.parse(text)
  return evidence.ends_at > Date.now() ? evidence : undefined
}

// What nobody can read ends, too: one that was written by hand does not keep the others.
function isMadeBefore(text: string, time: number): boolean {
  return !(Number(parseObject(text)?.created_at) >= time)
}
