// The one builder of tests with people: a service, who and what is in it, and what they do.
import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import { indexUser } from '../../src/users/sign-in-names.ts'
import { CHEAP, storeRelyingParties, storeUsers, userRecord } from './accounts.ts'
import { changeUser, createClient, createUser, readUser } from './records.ts'
import { accountSteps } from './scene/account.ts'
import { linkSteps } from './scene/links.ts'
import { mailSteps, settingsOfMail } from './scene/mail.ts'
import { CONSOLE, operatorSteps, storeOperators } from './scene/operators.ts'
import { visitorOf } from './scene/requests.ts'
import { tokenSteps } from './scene/tokens.ts'
import { startService, type TestOptions } from './service.ts'
import { startSmtp } from './smtp.ts'
import type { Visitor } from './visitor.ts'

/** Settings of the service, and what there is. */
export interface Given extends TestOptions {
  /** `mail`: a real SMTP server, and addresses that alice and bob confirmed; `console`: operators, see `storeOperators`. */
  readonly with?: readonly ('mail' | 'console')[]
  /** Fields of users besides those that alice and bob have (`storeUsers`); others are made, with the password PASSWORD. */
  readonly people?: Readonly<Record<string, Hash>>
  /** Clients besides those of `accounts.ts`. */
  readonly clients?: readonly ClientDefinition[]
}

export type Scene = Awaited<ReturnType<typeof scene>>

/** Where mail for a user goes at first. */
export const addressFor = (username: string) => `${username}@example.org`

/** Starts a service on memory, or the storage that is given, whose clock `pass` moves; closed with the test. */
export async function scene(
  t: Test,
  { with: rooms = [], people = {}, clients = [], ...settings }: Given = {},
) {
  let ahead = 0
  const now = () => Date.now() + ahead
  const smtp = rooms.includes('mail') ? await startSmtp(t) : undefined
  const service = await startService(t, {
    ...CHEAP,
    demo: false,
    now,
    storage: new MemoryStorage({ now }),
    ...(smtp && settingsOfMail(smtp)),
    ...(rooms.includes('console') && CONSOLE),
    ...settings,
  })
  const { storage, log } = service
  const { redmint } = service.fastify
  await storeUsers(storage)
  await storeRelyingParties(storage)
  if (rooms.includes('console')) await storeOperators(storage)
  for (const client of clients) await createClient(storage, client.client_id, formatClient(client))
  /** Changes fields of a user, as operators do; who is not there is made. */
  const setFields = async (username: string, set: Hash) => {
    const former = await readUser(storage, username)
    if (former) await changeUser(storage, username, { set })
    else await createUser(storage, username, await userRecord(`sub-of-${username}`, set))
    await indexUser(storage, username, former)
  }
  if (smtp)
    for (const name of ['alice', 'bob'])
      await setFields(name, { email: addressFor(name), email_verified: 'true' })
  for (const [username, fields] of Object.entries(people)) await setFields(username, fields)
  const base = {
    ...service,
    redmint,
    setFields,
    /** Moves the clock forward. Keys that were not read for so long count for nothing: `passWithKeys` reads them. */
    pass: (seconds: number) => {
      ahead += seconds * 1000
    },
    async passWithKeys(seconds: number) {
      ahead += seconds * 1000
      await redmint.keys.reload()
    },
    /** A new browser. */
    visitor: (): Visitor => visitorOf(() => service.fastify),
    /** The record of a user. */
    user: (username = 'alice'): Promise<Hash | undefined> => readUser(storage, username),
    /** How often an event is in the log, or how often of somebody. */
    happened: (event: string, username?: string) =>
      log.filter(
        (line) =>
          line.includes(`"event":"${event}"`) &&
          (username === undefined || line.includes(`"username":"${username}"`)),
      ).length,
  }
  return {
    ...base,
    ...accountSteps(base),
    ...linkSteps(base),
    ...tokenSteps(base),
    ...mailSteps(base, smtp),
    ...operatorSteps(base),
  }
}
