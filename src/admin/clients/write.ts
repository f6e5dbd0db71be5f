import type { Static } from '@sinclair/typebox'
import { CLIENT } from '../../clients/record/client-kind.ts'
import { secretHash } from '../../clients/record/client-secret.ts'
import type { Hash } from '../../core/record-hash.ts'
import { shownFinding } from '../operation/findings.ts'
import type { AdminContext, OperationOutcome } from '../operation/operation.ts'
import { AdminError, alreadyExists } from '../operation/problem.ts'
import { givenFields } from '../operation/record-type.ts'
import { assertReplaceable } from '../operation/version.ts'
import { changeClient, changedClient, type PlannedChange, planChange } from './change.ts'
import { planClient, writeNewClient } from './create.ts'
import { declaredChange } from './declared.ts'
import { authenticatesOtherwise } from './defaults.ts'
import type { ClientAnswer, GivenClient } from './given.ts'
import { lintStored, othersOf } from './lint.ts'
import { CLIENTS, describeClient } from './record-type.ts'
import { checkSecret } from './secret.ts'
import { differenceOfClient } from './state-operations.ts'

type ClientOutcome = OperationOutcome<Static<typeof ClientAnswer>>

/** Registers a client, or says what a dry run would write. @throws AdminError; StorageUnavailable */
export async function createFrom(
  context: AdminContext,
  client_id: string,
  given: GivenClient,
  dry_run = false,
): Promise<ClientOutcome> {
  const { hash, client_secret } = planClient(context, client_id, given.set, given.client_secret)
  if (dry_run) {
    if ((await context.storage.records.read(CLIENT, client_id)) !== undefined)
      throw alreadyExists('client', client_id)
    return planned(context, client_id, undefined, hash)
  }
  await writeNewClient(context, client_id, hash)
  return { body: withSecret(describeClient(client_id, hash), client_secret), stored: hash }
}

/** Changes a client by what is given, or says what a dry run would write. @throws AdminError; StorageUnavailable */
export async function changeFrom(
  context: AdminContext,
  client_id: string,
  stored: Hash,
  given: GivenClient,
  dry_run = false,
): Promise<ClientOutcome> {
  const was_confidential = stored.is_public === 'false' && authenticatesOtherwise(stored)
  const becomes_confidential = given.set.is_public === 'false' && !was_confidential
  const planned = planChange(stored, { ...given, becomes_confidential }, context.now())
  return finish(context, client_id, stored, planned, dry_run)
}

/** What only a self-registered client has: one that a file declares is no longer such a one. */
const SELF_REGISTERED = ['registered_at', 'lapses_at', 'registration_token_hash']

/**
 * Makes a client what is given, or registers it, or says what a dry run would write.
 * @param read returns what is given, for the record that there is
 * @param version which the record must have; absent: there must be none, unless it is a dry run
 * @throws AdminError; StorageUnavailable
 */
export async function replaceFrom(
  context: AdminContext,
  client_id: string,
  read: (stored?: Hash) => GivenClient,
  version: string | undefined,
  dry_run?: boolean,
): Promise<ClientOutcome> {
  const stored = (await context.storage.records.read(CLIENT, client_id))?.hash
  if (stored === undefined) {
    if (version !== undefined) throw new AdminError('stale', `There is no client "${client_id}" any more.`)
    return createFrom(context, client_id, read(), dry_run)
  }
  assertReplaceable(stored, version, dry_run)
  const { set, client_secret } = read(stored)
  const digest =
    client_secret === undefined ? {} : { client_secret_hash: secretHash(checkSecret(client_secret)) }
  const names = [
    ...[...givenFields(CLIENTS), 'client_secret_hash'],
    ...(set.managed_by === undefined ? [] : ['managed_by', ...SELF_REGISTERED]),
  ]
  const declared = { client_id, set: { ...set, ...digest } }
  return finish(context, client_id, stored, declaredChange(declared, stored, names, context.now()), dry_run)
}

/** Makes a planned change of a client, or says what a dry run would write. @throws AdminError; StorageUnavailable */
async function finish(
  context: AdminContext,
  client_id: string,
  stored: Hash,
  change: PlannedChange,
  dry_run = false,
): Promise<ClientOutcome> {
  if (dry_run) return planned(context, client_id, stored, changedClient(context, client_id, stored, change))
  const hash = await changeClient(context, client_id, stored, change)
  return { body: withSecret(describeClient(client_id, hash), change.client_secret), stored: hash }
}

/** Returns what would change, and what lint would say then. */
async function planned(
  context: AdminContext,
  client_id: string,
  stored: Hash | undefined,
  wanted: Hash,
): Promise<ClientOutcome> {
  const { storage, settings, now } = context
  const others = othersOf(context, client_id)
  const findings = await lintStored(storage, client_id, wanted, settings, now(), others)
  return {
    difference: differenceOfClient(stored ?? {}, wanted),
    findings: findings.map(shownFinding),
    stored,
  }
}

function withSecret(client: Static<typeof ClientAnswer>, client_secret: string | undefined) {
  return client_secret === undefined ? client : { ...client, client_secret }
}
