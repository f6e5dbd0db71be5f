// What src/storage/storage.ts promises, for every storage alike.
import type { Test } from 'tap'
import { newGrantId, newToken } from '../../src/ids.ts'
import { type Storage, StorageUnavailable } from '../../src/storage/storage.ts'
import { consentContract } from './consent-contract.ts'
import { endingsContract } from './endings-contract.ts'
import { failureContract } from './failure-contract.ts'
import { refreshing } from './family.ts'
import { logoutContract, NOTICE } from './logout-contract.ts'
import { PENDING, pendingContract } from './pending-contract.ts'
import { clientContract, userContract } from './record-contract.ts'
import { redemptionContract } from './redemption-contract.ts'
import { refreshContract } from './refresh-contract.ts'
import { refreshLifetimeContract } from './refresh-lifetime-contract.ts'
import { refreshRetryContract } from './refresh-retry-contract.ts'
import { refreshScopeContract } from './refresh-scope-contract.ts'
import { revocationContract } from './revocation-contract.ts'
import { session, sessionContract } from './session-contract.ts'
import { signingKeyContract } from './signing-key-contract.ts'
import { ALICE, attempt, CODE, collect, type Make } from './subject.ts'
import { tokenContract } from './token-contract.ts'

/** Runs the whole contract on storages that `make` opens; each holds nothing at first. */
export async function storageContract(t: Test, make: Make): Promise<void> {
  await t.test('clients', (t) => clientContract(t, make))
  await t.test('users', (t) => userContract(t, make))
  await t.test('redemption', (t) => redemptionContract(t, make))
  await t.test('tokens and grants', (t) => tokenContract(t, make))
  await t.test('refresh', (t) => refreshContract(t, make))
  await t.test('refresh again', (t) => refreshRetryContract(t, make))
  await t.test('refreshed scope', (t) => refreshScopeContract(t, make))
  await t.test('lifetimes of a family', (t) => refreshLifetimeContract(t, make))
  await t.test('revocation', (t) => revocationContract(t, make))
  await t.test('endings', (t) => endingsContract(t, make))
  await t.test('signing keys', (t) => signingKeyContract(t, make))
  await t.test('sessions', (t) => sessionContract(t, make))
  await t.test('pending requests', (t) => pendingContract(t, make))
  await t.test('consents', (t) => consentContract(t, make))
  await t.test('logouts', (t) => logoutContract(t, make))
  await t.test('failures', (t) => failureContract(t, make))

  await t.test('probe resolves', async (t) => {
    const { storage } = await make(t)
    await t.resolves(storage.probe())
  })

  await t.test('a closed storage answers nothing', async (t) => {
    const { storage } = await make(t)
    await storage.close()
    for (const [name, call] of Object.entries(everyCall(storage))) {
      await t.rejects(call(), new StorageUnavailable('the storage is closed'), name)
    }
    await t.resolves(storage.close(), 'and can be closed again')
  })
}

function everyCall(storage: Storage): Record<string, () => Promise<unknown>> {
  const grant = newGrantId()
  const code = newToken(grant)
  const token = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const
  return {
    probe: () => storage.probe(),
    readClient: () => storage.readClient('app'),
    listClients: () => collect(storage.listClients()),
    createClient: () => storage.createClient('app', { client_name: 'App' }),
    changeClient: () => storage.changeClient('app', { set: {}, unset: [] }),
    removeClient: () => storage.removeClient('app'),
    readUser: () => storage.readUser('alice'),
    listUsers: () => collect(storage.listUsers()),
    createUser: () => storage.createUser('alice', { sub: 'alice' }),
    changeUser: () => storage.changeUser('alice', { set: {}, unset: [] }),
    removeUser: () => storage.removeUser('alice'),
    saveCode: () => storage.saveCode(code, CODE, 60),
    redeemCode: () => storage.redeemCode(code, attempt(grant, 'one')),
    saveToken: () => storage.saveToken(code, token, 60),
    findToken: () => storage.findToken(code),
    findTokenAndGrant: () => storage.findTokenAndGrant(code),
    refresh: () => storage.refresh(code, refreshing(grant, 'one')),
    saveRevokedToken: () => storage.saveRevokedToken(code, token, new Date(Date.now() + 60_000)),
    revokeToken: () => storage.revokeToken(code),
    revokeGrant: () => storage.revokeGrant(grant),
    revokeAllOf: () => storage.revokeAllOf(ALICE),
    findGrant: () => storage.findGrant(grant),
    readSigningKeys: () => storage.readSigningKeys(),
    replaceSigningKeys: () => storage.replaceSigningKeys({}, { kid: 'key' }),
    forgiveFailure: () => storage.forgiveFailure('name'),
    rememberBrowser: () => storage.rememberBrowser('name', 60),
    knowsBrowser: () => storage.knowsBrowser('name'),
    endGrant: () => storage.endGrant(grant, 60),
    createSession: () => storage.createSession('id', session(), 60),
    useSession: () => storage.useSession('id', 60),
    joinSession: () => storage.joinSession('id', 'app', 'openid'),
    endSession: () => storage.endSession('id'),
    savePending: () => storage.savePending(code, PENDING, 60),
    readPending: () => storage.readPending(code),
    changePending: () => storage.changePending(code, { chosen: 'sid' }),
    finishPending: () => storage.finishPending(code),
    readConsent: () => storage.readConsent('alice', 'app'),
    saveConsent: () => storage.saveConsent('alice', 'app', 'openid', 60),
    queueLogouts: () => storage.queueLogouts([NOTICE]),
    claimLogouts: () => storage.claimLogouts(1, 60),
    finishLogout: () => storage.finishLogout(NOTICE),
    putOffLogout: () => storage.putOffLogout(NOTICE, 60),
    countFailure: () => storage.countFailure('name', 1000),
  }
}
