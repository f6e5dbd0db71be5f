// Fills a Redis, and says what each kind of record takes.

import type { Redis } from 'ioredis'
import { newSid } from '../../src/core/token-string.ts'
import { newCookieValue, sessionIdOf } from '../../src/sessions/browser.ts'
import { noteFitted } from '../../src/storage/indexes.ts'
import { familyEntryId } from '../../src/storage/listed-family.ts'
import type { RedisKeys } from '../../src/storage/redis/keys.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { memoryOf } from '../growth-load.ts'
import { familyOfGrant, type GrantWriter, grantWriter, sidOfGrant } from './grants.ts'
import {
  clientIdOf,
  DAY,
  endList,
  joinList,
  subOf,
  usernameOf,
  writeClient,
  writePerson,
  writeSession,
} from './records.ts'
import { sendAll } from './send.ts'
import {
  clientOfGrant,
  firstGrantOf,
  grantsOfPerson,
  SESSION_OF_EACH,
  type Shares,
  SIGNED_IN,
  type Sizes,
  sharesOf,
} from './sizes.ts'

/** What one phase wrote. */
export interface Filled {
  readonly what: string
  readonly count: number
  /** Of Redis, for each. */
  readonly bytes: number
  /** On the clock. */
  readonly seconds: number
}

interface Place {
  readonly url: string
  readonly admin: Redis
  readonly storage: Storage
  readonly keys: RedisKeys
  readonly password_hash: string
}

/**
 * Writes all records, kind by kind, with the lists and indexes that servers keep of them; then servers find nothing to
 * repair.
 * @param say is told of each kind
 */
export async function fill(place: Place, sizes: Sizes, say: (filled: Filled) => void): Promise<Filled[]> {
  const { url, admin, storage, keys, password_hash } = place
  const now = Date.now()
  const shares = sharesOf(sizes)
  const grants = new Grants(
    await grantWriter(storage, admin, keys, now - DAY),
    keys,
    shares,
    sizes,
    now - DAY,
  )
  const { people, clients } = sizes
  const phases: { what: string; count: number; commands: Iterable<string> }[] = [
    { what: 'client', count: clients, commands: each(clients, (client) => writeClient(keys, client)) },
    {
      what: 'person',
      count: people,
      commands: each(people, (person) => writePerson(keys, person, password_hash, now)),
    },
    { what: 'grant', count: shares.grants, commands: grants.all() },
    { what: 'refresh token of a grant', count: people, commands: each(people, (one) => grants.token(one)) },
    {
      what: 'session with one application',
      count: Math.ceil(people / SESSION_OF_EACH) + shares.sessions,
      commands: grants.sessions(now),
    },
  ]
  const found: Filled[] = []
  for (const { what, count, commands } of phases) {
    const [before, began] = [await memoryOf(admin), performance.now()]
    await sendAll(url, commands)
    const bytes = ((await memoryOf(admin)) - before) / count
    const filled = { what, count, bytes, seconds: (performance.now() - began) / 1000 }
    say(filled)
    found.push(filled)
  }
  await noteFitted(storage, Date.now())
  return found
}

function* each(count: number, write: (number: number) => string): Generator<string> {
  for (let number = 0; number < count; number++) yield write(number)
}

/** The grants and sessions of everybody. */
class Grants {
  readonly #writer: GrantWriter
  readonly #keys: RedisKeys
  readonly #shares: Shares
  readonly #sizes: Sizes
  readonly #started: number

  constructor(writer: GrantWriter, keys: RedisKeys, shares: Shares, sizes: Sizes, started: number) {
    this.#writer = writer
    this.#keys = keys
    this.#shares = shares
    this.#sizes = sizes
    this.#started = started
  }

  /** Writes all grants with their entries in lists. */
  *all(): Generator<string> {
    const [keys, { until }] = [this.#keys, this.#writer]
    for (let person = 0; person < this.#sizes.people; person++) {
      const ids: string[] = []
      for (let place = 0; place < grantsOfPerson(person, this.#shares); place++) {
        const own = this.#own(person, place)
        const id = familyEntryId(own.family, own.started_at)
        ids.push(id)
        const of_client = { list: 'grants-of-client', owner: own.client_id, until } as const
        yield this.#writer.grant(own) + joinList(keys, of_client, [id])
      }
      const of_user = { list: 'grants-of-user', owner: usernameOf(person), until } as const
      if (ids.length > 0) yield joinList(keys, of_user, ids) + endList(keys, of_user)
    }
    for (let client = 0; client < this.#sizes.clients; client++)
      yield endList(keys, { list: 'grants-of-client', owner: clientIdOf(client), until })
  }

  /** Writes the refresh token of the first grant of a person. */
  token(person: number): string {
    return this.#writer.refreshToken(this.#own(person, 0))
  }

  /** Writes the sessions: of each tenth person one, and of one person very many; each has a grant. */
  *sessions(now: number): Generator<string> {
    const { people } = this.#sizes
    for (let person = 0; person < people; person += SESSION_OF_EACH) yield this.#session(person, 0, now)
    for (let place = 0; place < this.#shares.sessions; place++) yield this.#session(SIGNED_IN, place, now)
  }

  #session(person: number, place: number, now: number): string {
    const { family, client_id, username, sub, sid } = this.#own(person, place)
    return writeSession(this.#keys, sessionIdOf(newCookieValue()), {
      ...{ sid, username, sub, amr: 'pwd', acr: '1', browser: 'Firefox on Linux', address: '192.0.2.1' },
      secret: newSid(),
      auth_time: Math.floor(this.#started / 1000),
      started_at: this.#started,
      last_used_at: now,
      ends_at: now + 30 * DAY + place,
      clients: new Set([client_id]),
      families: new Map([[family, { client_id, joined_at: this.#started }]]),
    })
  }

  #own(person: number, place: number) {
    const grant = firstGrantOf(person, this.#shares) + place
    return {
      family: familyOfGrant(grant),
      username: usernameOf(person),
      client_id: clientIdOf(clientOfGrant(person, place, this.#shares, this.#sizes.clients)),
      sub: subOf(person),
      started_at: String(this.#started + (grant % DAY)),
      sid: sidOfGrant(grant),
    }
  }
}
