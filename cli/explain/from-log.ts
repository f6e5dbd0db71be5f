import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isObject, parseJson } from '../../src/core/json.ts'
import { explain } from '../../src/explain/explanation.ts'
import { type RefusalRecord, recordFrom } from '../../src/explain/record.ts'
import { Refusal, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandRun } from '../run.ts'
import { listOf, reportOf, type Wanted } from './show.ts'

/** The reasons of failed sign-ins, as the event has them. */
const SIGN_INS: Readonly<Record<string, string>> = {
  wrong_answer: 'sign_in_answer_wrong',
  wrong_password: 'password_wrong',
  no_password: 'user_without_password',
  unknown_user: 'user_unknown',
  disabled_user: 'user_disabled',
}

/** The reasons of grants that ended, as the event has them. */
const GRANTS: Readonly<Record<string, string>> = {
  account: 'account_gone',
  access: 'access_by_group',
  ended: 'grant_ended',
}

/** The command `explain --log`. @throws Refusal if no line of the log is about it; UsageError if the file cannot be read */
export async function explainFromLog(run: CommandRun, file: string, wanted: Wanted): Promise<Report> {
  const { id, last = 1, client_id, language } = wanted
  const found: RefusalRecord[] = []
  for await (const record of recordsIn(run, file)) {
    if (id !== undefined && record.id !== id) continue
    if (client_id !== undefined && record.client_id !== client_id) continue
    found.push(record)
    if (found.length > last) found.shift()
  }
  const explanations = found.map((record) => {
    const { differences, passed, ...rest } = explain(record, language)
    return { ...rest, differences: [...differences], passed: [...passed] }
  })
  const [first] = explanations
  if (id === undefined) return listOf(explanations.reverse(), run.now(), language)
  if (first === undefined) throw new Refusal(`No line of ${file} says that the request was refused.`)
  return reportOf(first, run.now(), language)
}

async function* recordsIn(run: CommandRun, file: string): AsyncGenerator<RefusalRecord> {
  const input = file === '-' ? run.stdin : createReadStream(file)
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const given = line.includes('"reason"') ? parseJson(line) : undefined
      const record = isObject(given) ? recordOfLine(given) : undefined
      if (record !== undefined) yield record
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new UsageError(`The file cannot be read: ${error.message}.`)
    throw error
  }
}

/** Returns what a line of the log tells of a refusal; undefined: it is about something else. */
function recordOfLine(line: Readonly<Record<string, unknown>>): RefusalRecord | undefined {
  const { reqId: id, time, reason, username, cause, redirect_uri } = line
  if (typeof time !== 'number' || !Number.isFinite(time)) return undefined
  const of_sign_in = line.event === 'sign_in_failed' && typeof reason === 'string'
  const of_grant = line.event === 'grant_ended' && typeof reason === 'string'
  const fault = typeof cause === 'string' ? { fault: cause } : {}
  const logged = isObject(line.received) ? line.received : {}
  return recordFrom({
    ...line,
    // What was sent is not in the log, but for an address without its query, and for what was found wrong with it.
    received: typeof redirect_uri === 'string' ? { redirect_uri } : { ...fault, ...logged },
    ...(of_grant && { reason: GRANTS[reason] }),
    ...(of_sign_in && {
      reason: SIGN_INS[reason],
      endpoint: 'interaction',
      received: typeof username === 'string' ? { username } : {},
    }),
    id,
    at: new Date(time).toISOString(),
  })
}
