import { type OutcomeStore, readProviderOutcomes } from '../service/outcome-keeper.ts'
import type { ProviderCheck } from './examined.ts'
import type { Provider } from './provider-record.ts'

/** What the last sign-in said that failed because of groups: the code of a ProviderFailure, and what to do. */
const PROBLEMS: Readonly<Record<string, string>> = {
  GROUPS_INCOMPLETE:
    'It has more groups of somebody than it puts into the claim, so that nobody knows which: have it send fewer (at Microsoft “groups assigned to the application”, or roles).',
  GROUPS_NOT_UNDERSTOOD:
    'The claim is no list of names: have it send an array of texts, or name the claim inside of it, as realm_access.roles.',
  GROUPS_MISSING:
    'The claim was missing, and somebody lost the groups: is its name right, and its scope there?',
  NO_SCOPE_FOR_GROUPS: 'It did not grant a scope that was asked for, and said no groups.',
  PROFILE_TOO_LONG: 'The groups do not fit into the record of a user: have it send fewer.',
  TOO_MANY_GROUPS: 'Somebody has more groups than are read.',
  NO_GROUPS: 'It answered with groups that have no name.',
}

/**
 * Finds out what is known of the groups that a provider says; nothing if the record takes none. Only a sign-in shows
 * them, so that it is what the last one showed.
 * @param claims those that its discovery document names; undefined: it names none
 * @throws StorageUnavailable
 */
export async function examineGroups(
  storage: OutcomeStore,
  { provider, groups_claim }: Provider,
  claims?: readonly string[],
): Promise<ProviderCheck[]> {
  if (groups_claim === undefined) return []
  const about = 'groups'
  const { success_at = 0, error } = (await readProviderOutcomes(storage)).get(provider) ?? {}
  const problem = error && PROBLEMS[error.code]
  // A claim that was missing refused nobody.
  if (problem !== undefined && (error?.code === 'GROUPS_MISSING' || Number(error?.at) > success_at))
    return [{ about, result: 'wrong', detail: problem }]
  const [first = ''] = groups_claim.split('.')
  const is_named = claims?.some((name) => name === groups_claim || name === first)
  if (is_named) return [{ about, result: 'ok', detail: 'Its discovery document names the claim.' }]
  const detail =
    claims === undefined
      ? 'Only a sign-in shows whether it says groups.'
      : 'Its discovery document does not name the claim: is it right? Only a sign-in shows it.'
  return [{ about, result: 'unknown', detail }]
}
