// One call of every kind, for tests of what all calls have in common.

import { SILENT } from '../../../src/core/log.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { readConsent, saveConsent } from '../../../src/interaction/consent.ts'
import {
  changePending,
  finishPending,
  readPending,
  savePending,
} from '../../../src/interaction/pending-store.ts'
import {
  claimLogouts,
  finishLogout,
  queueLogouts,
  retryLogoutLater,
} from '../../../src/sessions/logout-queue.ts'
import {
  createSession,
  endAllOf,
  joinSession,
  takeSession,
  useSession,
} from '../../../src/sessions/session-store.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import {
  changeClient,
  changeUser,
  createClient,
  createUser,
  listClients,
  listUsers,
  readClient,
  readUser,
  removeClient,
  removeUser,
  saveCode,
  saveRevokedToken,
  saveToken,
} from '../../support/records.ts'
import { refreshing } from './family.ts'
import { NOTICE } from './logout-contract.ts'
import { PENDING } from './pending-contract.ts'
import { session } from './session-contract.ts'
import { ALICE, attempt, CODE, collect } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

type Calls = Record<string, () => Promise<unknown>>

/** The calls that signing in and out make; in this order each call finds the record it needs. */
export function signInCalls(storage: Storage) {
  const grant = newFamilyId()
  const [transaction, logout, code] = [newToken(grant), newToken(grant), newToken(grant)]
  const later = { ...NOTICE, attempts: NOTICE.attempts + 1 }
  return {
    createSession: () => createSession(storage, 'id', session(), 60),
    useSession: () => useSession(storage, 'id', 60),
    joinSession: () => joinSession(storage, 'id', 'app', 'openid'),
    endSession: () => takeSession(storage, 'id'),
    savePending: () => savePending(storage, transaction, PENDING, 60),
    readPending: () => readPending(storage, transaction),
    changePending: () => changePending(storage, transaction, { chosen: 'sid' }),
    finishPending: () => finishPending(storage, transaction, { code, record: CODE, ttl: 60 }),
    'finishPending without a code': () => finishPending(storage, logout),
    endGrant: () => storage.families.endFamily(grant, 60),
    saveConsent: () =>
      saveConsent(
        { storage: storage, now: Date.now },
        { sub: 'alice', client_id: 'app', scope: 'openid' },
        60,
      ),
    readConsent: () => readConsent(storage, 'alice', 'app'),
    queueLogouts: () => queueLogouts(storage, [NOTICE]),
    claimLogouts: () => claimLogouts({ queue: storage.queue, log: SILENT }, 1, 60),
    putOffLogout: () => retryLogoutLater(storage, NOTICE, 60),
    finishLogout: () => finishLogout(storage, later),
    countFailure: () => storage.counters.countFailure('name', 60_000),
    forgiveFailure: () => storage.counters.forgiveFailure('name'),
    rememberBrowser: () => storage.counters.rememberBrowser('name', 60),
    knowsBrowser: () => storage.counters.knowsBrowser('name'),
  } satisfies Calls
}

export function everyCall(storage: Storage): Calls {
  const grant = newFamilyId()
  const code = newToken(grant)
  const token = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const
  return {
    ...signInCalls(storage),
    probe: () => storage.probe(),
    readClient: () => readClient(storage, 'app'),
    listClients: () => collect(listClients(storage)),
    createClient: () => createClient(storage, 'app', { client_name: 'App' }),
    changeClient: () => changeClient(storage, 'app', { set: {}, unset: [] }),
    removeClient: () => removeClient(storage, 'app'),
    readUser: () => readUser(storage, 'alice'),
    listUsers: () => collect(listUsers(storage)),
    createUser: () => createUser(storage, 'alice', { sub: 'alice' }),
    changeUser: () => changeUser(storage, 'alice', { set: {}, unset: [] }),
    removeUser: () => removeUser(storage, 'alice'),
    saveCode: () => saveCode(storage, code, CODE, 60),
    redeemCode: () => redeemCode(storage, code, attempt(grant, 'one')),
    saveToken: () => saveToken(storage, code, token, 60),
    findToken: () => storage.families.findToken(code),
    findTokenAndGrant: () => storage.families.findTokenAndFamily(code),
    refresh: () => useRefreshToken(storage, code, refreshing(grant, 'one')),
    saveRevokedToken: () => saveRevokedToken(storage, code, token, new Date(Date.now() + 60_000)),
    revokeToken: () => storage.families.revokeToken(code),
    revokeGrant: () => storage.families.revokeFamily(grant),
    revokeAllOf: () => endAllOf(storage, ALICE),
    findGrant: () => storage.families.findFamily(grant),
    readSigningKeys: () => storage.signing_keys.read(),
    replaceSigningKeys: () => storage.signing_keys.replace({}, { kid: 'key' }),
  }
}
