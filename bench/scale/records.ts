// Records as servers write them, by the writers of the source: people, clients and sessions with all that is kept of them.
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { type ClientDefinition, formatClient } from '../../src/clients/record/client-record.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { SESSION, type SessionRecord } from '../../src/sessions/session-record.ts'
import { sessionListings } from '../../src/sessions/session-store.ts'
import type { Listing } from '../../src/storage/lists.ts'
import type { KindName } from '../../src/storage/records.ts'
import type { RedisKeys } from '../../src/storage/redis/keys.ts'
import { neverSignedIn } from '../../src/storage/sign-ins.ts'
import { entriesOf, textOf } from '../../src/storage/words.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { indexedNamesOf, SIGN_IN_NAME } from '../../src/users/sign-in-names.ts'
import { USER } from '../../src/users/user-kind.ts'
import { formatUser } from '../../src/users/user-record.ts'
import { command } from './wire.ts'

export const DAY = 86_400_000
const GIVEN =
  'Ada Amara Ben Bruno Chen Clara David Elif Emma Farah Finn Grace Hana Hugo Ines Ivan Jan Kenji Lea Lena Luca Maria Mei Mila Noah Nora Omar Paul Priya Rosa Sara Tom Yara Zoe'
const FAMILY =
  'Almeida Bauer Becker Brown Costa Diaz Dubois Eriksen Fischer Garcia Haddad Hansen Ivanov Jansen Kaya Keller Kim Lopez Meyer Moreau Nakamura Novak Okafor Patel Ricci Rossi Sato Silva Singh Smith Tanaka Wagner Weber Young'
const [GIVEN_NAMES, FAMILY_NAMES] = [GIVEN.split(' '), FAMILY.split(' ')]
const GROUPS = 200

const digits = (number: number, length: number) => String(number).padStart(length, '0')
const anyOf = (names: readonly string[], number: number) => names[number % names.length] ?? ''

export const usernameOf = (person: number) => `user-${digits(person, 7)}`
export const subOf = (person: number) => `sub-${digits(person, 18)}`
export const clientIdOf = (client: number) => `app-${digits(client, 6)}`
export const familyNameOf = (person: number) => anyOf(FAMILY_NAMES, Math.floor(person / GIVEN_NAMES.length))
const givenNameOf = (person: number) => anyOf(GIVEN_NAMES, person)

/** Returns the verified e-mail address of a person. */
export function emailOf(person: number): string {
  const name = `${givenNameOf(person)}.${familyNameOf(person)}`.toLowerCase()
  return `${name}.${digits(person, 7)}@mail.example.com`
}

/** Returns what is given of a new person, as an import has it. @param password_hash in the form of argon2id */
export function personOf(person: number, password_hash: string): Hash {
  return formatUser({
    sub: subOf(person),
    password_hash,
    claims: {
      name: `${givenNameOf(person)} ${familyNameOf(person)}`,
      email: emailOf(person),
      email_verified: 'true',
      [customClaimField('groups')]: JSON.stringify([`team-${digits(person % GROUPS, 3)}`]),
    },
  })
}

/** Returns the definition of a client by which people sign in. */
export function clientOf(client: number): ClientDefinition {
  const client_id = clientIdOf(client)
  return {
    client_id,
    client_name: `Application ${client}`,
    redirect_uris: [`https://${client_id}.example.com/callback`],
    allowed_scopes: ['openid', 'profile', 'offline_access'],
    grant_types: ['authorization_code', 'refresh_token'],
    is_public: true,
  }
}

/** A third of all people did not sign in for 100 days or more, and some never. */
function lastSignInOf(person: number, now: number): number {
  if (person % 30 === 29) return neverSignedIn(now)
  return now - (person % 3 === 0 ? 100 + (person % 100) : person % 80) * DAY
}

/** Writes a person with what is kept to find it. */
export function writePerson(keys: RedisKeys, person: number, password_hash: string, now: number): string {
  const username = usernameOf(person)
  const hash = personOf(person, password_hash)
  const [[name] = []] = [Object.entries(SIGN_IN_NAME.format([username]))]
  return [
    writeListed(keys, USER, username, hash),
    command('ZADD', keys.signIns, String(lastSignInOf(person, now)), username),
    ...indexedNamesOf(username, hash).map((id) =>
      command('HSET', keys.record(SIGN_IN_NAME, id), ...(name ?? [])),
    ),
  ].join('')
}

/** Writes a client with what is kept to find it. */
export function writeClient(keys: RedisKeys, client: number): string {
  return writeListed(keys, CLIENT, clientIdOf(client), formatClient(clientOf(client)))
}

/** Writes a record of a listed kind, its name and its words. */
function writeListed(keys: RedisKeys, kind: KindName, id: string, hash: Hash): string {
  const text = textOf(kind, id, hash)
  const words = [`0${id}\0${text}`, ...entriesOf(text, id)].flatMap((entry) => ['0', entry])
  return (
    command('HSET', keys.record(kind, id), ...Object.entries(hash).flat()) +
    command('ZADD', keys.words(kind), ...words) +
    command('ZADD', keys.names(kind), '0', id)
  )
}

/** Writes a session, which ends by itself, and its entries in lists. */
export function writeSession(keys: RedisKeys, id: string, session: SessionRecord): string {
  const key = keys.record(SESSION, id)
  return (
    command('HSET', key, ...Object.entries(SESSION.format(session)).flat()) +
    command('PEXPIREAT', key, String(session.ends_at)) +
    sessionListings(id, session)
      .map((listing) => joinList(keys, listing, [listing.id]) + endList(keys, listing))
      .join('')
  )
}

/** Adds entries to a list. */
export const joinList = (
  keys: RedisKeys,
  { until, ...list }: Omit<Listing, 'id'>,
  ids: readonly string[],
): string => command('ZADD', keys.list(list), ...ids.flatMap((id) => [String(until), id]))

/** Lets a list end an hour after its last entry. */
export const endList = (keys: RedisKeys, { until, ...list }: Omit<Listing, 'id'>): string =>
  command('PEXPIREAT', keys.list(list), String(until + 3_600_000))
