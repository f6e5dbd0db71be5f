// A call of every kind, for what all of them have in common.
import { newGrantId, newToken } from '../../../src/core/token-string.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { refreshing } from './family.ts'
import { NOTICE } from './logout-contract.ts'
import { PENDING } from './pending-contract.ts'
import { session } from './session-contract.ts'
import { ALICE, attempt, CODE, collect } from './subject.ts'

type Calls = Record<string, () => Promise<unknown>>

/** What signing in and out asks of a storage; made in this order each call finds what it is about. */
export function signInCalls(storage: Storage) {
  const grant = newGrantId()
  const [transaction, logout, code] = [newToken(grant), newToken(grant), newToken(grant)]
  const later = { ...NOTICE, attempts: NOTICE.attempts + 1 }
  return {
    createSession: () => storage.createSession('id', session(), 60),
    useSession: () => storage.useSession('id', 60),
    joinSession: () => storage.joinSession('id', 'app', 'openid'),
    endSession: () => storage.endSession('id'),
    savePending: () => storage.savePending(transaction, PENDING, 60),
    readPending: () => storage.readPending(transaction),
    changePending: () => storage.changePending(transaction, { chosen: 'sid' }),
    finishPending: () => storage.finishPending(transaction, { code, record: CODE, ttl: 60 }),
    'finishPending without a code': () => storage.finishPending(logout),
    endGrant: () => storage.endGrant(grant, 60),
    saveConsent: () => storage.saveConsent('alice', 'app', 'openid', 60),
    readConsent: () => storage.readConsent('alice', 'app'),
    queueLogouts: () => storage.queueLogouts([NOTICE]),
    claimLogouts: () => storage.claimLogouts(1, 60),
    putOffLogout: () => storage.putOffLogout(NOTICE, 60),
    finishLogout: () => storage.finishLogout(later),
    countFailure: () => storage.countFailure('name', 60_000),
    forgiveFailure: () => storage.forgiveFailure('name'),
    rememberBrowser: () => storage.rememberBrowser('name', 60),
    knowsBrowser: () => storage.knowsBrowser('name'),
  } satisfies Calls
}

export function everyCall(storage: Storage): Calls {
  const grant = newGrantId()
  const code = newToken(grant)
  const token = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const
  return {
    ...signInCalls(storage),
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
  }
}
