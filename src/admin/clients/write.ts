import type { Static } from '@sinclair/typebox'
import { CLIENT } from '../../clients/record/client-kind.ts'
import type { Hash } from '../../core/record-hash.ts'
import { shownFinding } from '../operation/findings.ts'
import type { AdminContext, OperationOutcome } from '../operation/operation.ts'
import { alreadyExists } from '../operation/problem.ts'
import { changeClient, changedClient, type PlannedChange, planChange } from './change.ts'
import { planClient, writeNewClient } from './create.ts'
import { authenticatesOtherwise } from './defaults.ts'
import type { ClientAnswer, GivenClient } from './given.ts'
import { lintStored } from './lint.ts'
import { describeClient } from './record-type.ts'
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
    return planned(context, client_id, {}, hash)
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

/** Makes a planned change of a client, or says what a dry run would write. @throws AdminError; StorageUnavailable */
export async function finish(
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
  { storage, settings, now }: AdminContext,
  client_id: string,
  stored: Hash,
  wanted: Hash,
): Promise<ClientOutcome> {
  const findings = await lintStored(storage, client_id, wanted, settings, now())
  return { difference: differenceOfClient(stored, wanted), findings: findings.map(shownFinding) }
}

function withSecret(client: Static<typeof ClientAnswer>, client_secret: string | undefined) {
  return client_secret === undefined ? client : { ...client, client_secret }
}
