import { hash as digest } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseObject } from '../../core/json.ts'
import { FieldReader } from '../../core/record-hash.ts'
import type { Sealer } from '../../keys/sealer.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { AdminCaller } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import type { AdminReply } from './reply.ts'

/** A request with an Idempotency-Key, and its answer. */
interface Repetition {
  /** The digest of the request. */
  readonly request: string
  /** The answer, sealed: it may have a secret. Absent: the request is running, or nobody knows what came of it. */
  readonly answer?: string
}

/** What was done under the Idempotency-Keys of callers; ids are digests. */
const REPETITION: Kind<Repetition> = {
  name: 'admin-request',
  format: ({ request, answer }) => ({ request, ...(answer !== undefined && { answer }) }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const request = fields.required('request')
    if (fields.problems.length > 0) return { ok: false, problems: fields.problems }
    return { ok: true, record: { request, ...fields.given(['answer']) } }
  },
}

interface RepetitionContext {
  readonly storage: RecordStore
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
}

/** What a key belongs to, and what was asked under it. */
export interface KeyedRequest {
  readonly caller: AdminCaller
  /** The name of the operation. */
  readonly operation: string
  readonly key: string
  /** All that decides what is done. */
  readonly asked: unknown
}

/** Seconds. */
const KEPT = 86_400
const KEY = /^[\x21-\x7E]{1,255}$/
/** How long a repetition waits for the request that it repeats: milliseconds, and how often it looks. */
const LOOKS = { every: 50, times: 100 }

/** Returns the Idempotency-Key of a request, if it has one. @throws AdminError `invalid_request` */
export function keyIn(header: string | undefined): string | undefined {
  if (header === undefined || KEY.test(header)) return header
  throw new AdminError('invalid_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.')
}

/**
 * Does something once for a key, at whichever server it arrives, and returns the same answer again for a day. What is
 * refused is not kept, because nothing was done. If the outcome is unknown, the key stays taken.
 * @throws AdminError `key_reused`, `conflict`; any error of `run`
 */
export async function onceForKey(
  { storage, sealer }: RepetitionContext,
  { caller, operation, key, asked }: KeyedRequest,
  run: () => Promise<AdminReply>,
): Promise<AdminReply> {
  const id = digestOf([caller.kind, caller.id, caller.client_id, operation, key])
  const request = digestOf(asked)
  const { records } = storage
  if ((await records.create(write(REPETITION, id, { request }, KEPT))) === 'exists') {
    return repeated({ storage, sealer }, id, request)
  }
  const reply = await run().catch(async (error: unknown) => {
    if (error instanceof AdminError) await records.take(REPETITION, id)
    throw error
  })
  const answer = sealer.seal('admin-answer', JSON.stringify({ id, reply }))
  await records.change(REPETITION, id, { set: { answer }, expected: { request } })
  return reply
}

async function repeated(
  { storage, sealer }: RepetitionContext,
  id: string,
  request: string,
): Promise<AdminReply> {
  for (let look = 0; look < LOOKS.times; look += 1) {
    const found = recordOf(await storage.records.read(REPETITION, id))
    if (found === undefined) break
    if (found.request !== request)
      throw new AdminError(
        'key_reused',
        'This Idempotency-Key came with another request: use a new one.',
        [],
        {
          expected: { header: 'Idempotency-Key' },
        },
      )
    const opened = found.answer === undefined ? undefined : sealer.open('admin-answer', found.answer)
    const kept = opened === undefined ? undefined : parseObject(opened)
    // An answer that was put in the place of another one does not count.
    if (kept?.id === id) return kept.reply as AdminReply
    if (found.answer !== undefined) break
    await pause(LOOKS.every)
  }
  throw new AdminError(
    'conflict',
    'A request with this Idempotency-Key runs, was refused just now, or ended without an answer: look what it did, or use a new key.',
  )
}

const digestOf = (value: unknown) => digest('sha256', JSON.stringify(value), 'base64url')
