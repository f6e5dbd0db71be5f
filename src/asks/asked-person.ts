import { hash } from 'node:crypto'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import { clashWithClient, subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import type { Sub } from '../core/ids.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { listedGrant } from '../tokens/grant-listings.ts'
import { grantsOf } from '../tokens/listed-grants.ts'
import { beganBefore } from '../tokens/token-account.ts'
import { mayUse } from '../users/client-access.ts'
import { lookUp, readCandidate } from '../users/find-account.ts'
import { accessEndedBefore } from '../users/own-marks.ts'
import { type AccountContext, readAccount } from '../users/read-account.ts'
import { SIGN_IN_NAME, subEntry } from '../users/sign-in-names.ts'
import type { User } from '../users/user-record.ts'

/** What it takes to find whom a client asks. */
export interface AskedPersonContext extends AccountContext {
  readonly clients: Pick<ClientRegistry, 'find'>
  readonly settings: Pick<Settings, 'demo' | 'groups_claim' | 'pairwise_salt'>
  readonly storage: Pick<Storage, 'records' | 'lists'>
}

/** Whom a hint names: a name that somebody signs in by, or a subject as the client knows it. */
export interface Hint {
  readonly name: string
  /** It is a subject, and no name. */
  readonly is_subject?: true
  /** The username of whom somebody else named; empty: there is no such account. */
  readonly found?: string
}

/** Why nobody is asked. */
export type NotAsked = 'unknown' | 'disabled' | 'muted' | 'no_access' | 'no_grant' | 'limited' | 'repeated'

/** Whom a client asks, or why nobody is asked. `key`: where what waits for the person is; of nobody a digest. */
export type AskedPerson =
  | { readonly user: User; readonly key: Sub; readonly problem?: undefined }
  | { readonly user?: User; readonly key: Sub; readonly problem: NotAsked }

/** How many grants of a person are looked at, the ones that can live longest first. */
const MAX_GRANTS = 100

/**
 * Finds the person whom a client asks. The commands to storage are the same for everybody and for nobody, so that no client
 * learns from an answer or its time who is known here (CIBA §14).
 * @throws StorageUnavailable
 */
export async function findAsked(
  context: AskedPersonContext,
  client: Client,
  hint: Hint,
): Promise<AskedPerson> {
  const user = await findHinted(context, client, hint)
  const has_grant = await hasGrant(context, client, user, hint)
  const key = user?.sub ?? standInFor(client, hint)
  if (user === undefined) return { key, problem: 'unknown' }
  const problem = problemOf(context, client, user, has_grant)
  return problem === undefined ? { user, key } : { user, key: standInFor(client, hint), problem }
}

function problemOf(
  { settings }: AskedPersonContext,
  client: Client,
  user: User,
  has_grant: boolean,
): NotAsked | undefined {
  if (user.disabled) return 'disabled'
  if (user.muted_clients?.includes(encodeURIComponent(client.client_id))) return 'muted'
  if (clashWithClient(subjectFor(client, user.sub, settings), client) !== undefined) return 'unknown'
  if (!mayUse(client, user, settings)) return 'no_access'
  // Who is in a group that the operator gave the client need not have signed in there before.
  return has_grant || client.allowed_groups !== undefined ? undefined : 'no_grant'
}

async function findHinted(
  context: AskedPersonContext,
  client: Client,
  { name, is_subject, found }: Hint,
): Promise<User | undefined> {
  if (found !== undefined) return readAccount(context, found)
  const { storage, settings } = context
  const [named, indexed] = await Promise.all([
    lookUp(context, name),
    storage.records.read(SIGN_IN_NAME, subEntry(name)),
  ])
  // A subject counts before a name that looks like it: nobody chooses a subject.
  const [username] = recordOf(indexed) ?? []
  if (username !== undefined) {
    const user = await readAccount(context, username)
    return user !== undefined && subjectFor(client, user.sub, settings) === name ? user : undefined
  }
  // One account is read in any case.
  const { user } = await readCandidate(context, named)
  return is_subject ? undefined : user
}

/** Whether a person has something that the client was granted, and that was not ended. @throws StorageUnavailable */
async function hasGrant(
  { storage: { lists } }: AskedPersonContext,
  client: Client,
  user: User | undefined,
  { name }: Hint,
): Promise<boolean> {
  const { client_id } = client
  const owner = user?.username ?? name
  const { entries } = await lists.page(grantsOf({ username: owner }), { limit: MAX_GRANTS })
  const ids = entries.map(({ id }) => id)
  // Also if there are none: the command is the same.
  const among = await lists.among(grantsOf({ client_id }), ids.length === 0 ? [NO_GRANT] : ids)
  return among.some((id) => {
    const started_at = String(listedGrant(id)?.started_at ?? 0)
    const marks = [
      client.grants_end_before,
      user?.grants_end_before,
      user && accessEndedBefore(user, client_id),
    ]
    return !marks.some((mark) => beganBefore(started_at, mark))
  })
}

const NO_GRANT = '-'

/** Where what nobody is asked is kept: the same writes, which nobody reads. */
const standInFor = ({ client_id }: Client, { name }: Hint): Sub =>
  hash('sha256', JSON.stringify(['nobody', client_id, name]), 'base64url')
