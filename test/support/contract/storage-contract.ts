// The contract of src/storage/storage.ts, for every implementation.
import type { Test } from 'tap'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import { accountContract } from './account-contract.ts'
import { answeredContract } from './answered-contract.ts'
import { assertionContract } from './assertion-contract.ts'
import { boundTokenContract } from './bound-token-contract.ts'
import { boundedListContract } from './bounded-list-contract.ts'
import { everyCall } from './calls.ts'
import { codeContract } from './code-contract.ts'
import { consentContract } from './consent-contract.ts'
import { derivedContract } from './derived-contract.ts'
import { derivedEndContract } from './derived-end-contract.ts'
import { detailsContract } from './details-contract.ts'
import { deviceContract } from './device-contract.ts'
import { endingsContract } from './endings-contract.ts'
import { evidenceContract } from './evidence-contract.ts'
import { failureContract } from './failure-contract.ts'
import { grantEndContract } from './grant-end-contract.ts'
import { kindContract } from './kind-contract.ts'
import { lastSignInContract } from './last-sign-in-contract.ts'
import { listContract } from './list-contract.ts'
import { logoutContract } from './logout-contract.ts'
import { notedContract } from './noted-contract.ts'
import { outboxContract } from './outbox-contract.ts'
import { pageContract } from './page-contract.ts'
import { presentedContract } from './presented-contract.ts'
import { pushedContract } from './pushed-contract.ts'
import { clientContract, userContract } from './record-contract.ts'
import { redemptionContract } from './redemption-contract.ts'
import { refreshContract } from './refresh-contract.ts'
import { refreshLifetimeContract } from './refresh-lifetime-contract.ts'
import { refreshRetryContract } from './refresh-retry-contract.ts'
import { refreshScopeContract } from './refresh-scope-contract.ts'
import { registrationContract } from './registration-contract.ts'
import { revocationContract } from './revocation-contract.ts'
import { sessionContract } from './session-contract.ts'
import { sharedHashContract } from './shared-hash-contract.ts'
import { signInNameContract } from './sign-in-name-contract.ts'
import { singleUseContract } from './single-use-contract.ts'
import type { Make } from './subject.ts'
import { targetContract } from './target-contract.ts'
import { tokenContract } from './token-contract.ts'
import { trailContract } from './trail-contract.ts'
import { wordContract } from './word-contract.ts'

/** Runs the whole contract on storages that `make` opens; each is empty at first. */
export async function storageContract(t: Test, make: Make): Promise<void> {
  await t.test('clients', (t) => clientContract(t, make))
  await t.test('users', (t) => userContract(t, make))
  await t.test('accounts', (t) => accountContract(t, make))
  await t.test('sign-in names', (t) => signInNameContract(t, make))
  await t.test('records of any kind', (t) => kindContract(t, make))
  await t.test('pages of records', (t) => pageContract(t, make))
  await t.test('words of records', (t) => wordContract(t, make))
  await t.test('redemption', (t) => redemptionContract(t, make))
  await t.test('optional parts of a code', (t) => codeContract(t, make))
  await t.test('device codes', (t) => deviceContract(t, make))
  await t.test('tokens and grants', (t) => tokenContract(t, make))
  await t.test('refresh', (t) => refreshContract(t, make))
  await t.test('refresh again', (t) => refreshRetryContract(t, make))
  await t.test('refreshed scope', (t) => refreshScopeContract(t, make))
  await t.test('resources of tokens', (t) => targetContract(t, make))
  await t.test('details of tokens', (t) => detailsContract(t, make))
  await t.test('lifetimes of a family', (t) => refreshLifetimeContract(t, make))
  await t.test('ended grants', (t) => grantEndContract(t, make))
  await t.test('revocation', (t) => revocationContract(t, make))
  await t.test('endings', (t) => endingsContract(t, make))
  await t.test('derived tokens', (t) => derivedContract(t, make))
  await t.test('ends of derived tokens', (t) => derivedEndContract(t, make))
  await t.test('tokens that are presented', (t) => presentedContract(t, make))
  await t.test('shared hashes', (t) => sharedHashContract(t, make))
  await t.test('sessions', (t) => sessionContract(t, make))
  await t.test('answers to pending requests', (t) => answeredContract(t, make))
  await t.test('pushed requests', (t) => pushedContract(t, make))
  await t.test('assertions', (t) => assertionContract(t, make))
  await t.test('single use of assertions and proofs', (t) => singleUseContract(t, make))
  await t.test('bound tokens', (t) => boundTokenContract(t, make))
  await t.test('JWTs in status lists', (t) => notedContract(t, make))
  await t.test('consents', (t) => consentContract(t, make))
  await t.test('lists', (t) => listContract(t, make))
  await t.test('logouts', (t) => logoutContract(t, make))
  await t.test('failures', (t) => failureContract(t, make))
  await t.test('outboxes', (t) => outboxContract(t, make))
  await t.test('bounded lists', (t) => boundedListContract(t, make))
  await t.test('audit trail', (t) => trailContract(t, make))
  await t.test('evidence', (t) => evidenceContract(t, make))
  await t.test('last sign-ins', (t) => lastSignInContract(t, make))
  await t.test('registrations', (t) => registrationContract(t, make))

  await t.test('probe succeeds', async (t) => {
    const { storage } = await make(t)
    await t.resolves(storage.probe())
  })

  await t.test('a closed storage refuses every call', async (t) => {
    const { storage } = await make(t)
    await storage.close()
    for (const [name, call] of Object.entries(everyCall(storage))) {
      await t.rejects(call(), new StorageUnavailable('the storage is closed'), name)
    }
    await t.resolves(storage.close(), 'closing again is allowed')
  })
}
