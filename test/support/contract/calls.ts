// One call of every kind, for tests of what all calls have in common.

import { INITIAL_ACCESS_TOKEN } from '../../../src/clients/registration/initial-access-token.ts'
import { SILENT } from '../../../src/core/log.ts'
import { newFamilyId, newToken } from '../../../src/core/token-string.ts'
import { answerOnce } from '../../../src/interaction/answered.ts'
import { saveConsent } from '../../../src/interaction/consent.ts'
import { useOnce } from '../../../src/interaction/use-once.ts'
import {
  claimLogouts,
  finishLogouts,
  queueLogouts,
  retryLogouts,
} from '../../../src/sessions/logout-queue.ts'
import {
  changeSession,
  createSession,
  endAllBefore,
  takeSession,
  useSession,
  useSessionFor,
} from '../../../src/sessions/session-store.ts'
import { evidenceTag } from '../../../src/storage/evidence.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { redeemCode } from '../../../src/tokens/token-families.ts'
import { USER } from '../../../src/users/user-kind.ts'
import {
  changeClient,
  changeUser,
  createClient,
  createUser,
  listClients,
  listUsers,
  readClient,
  readConsent,
  readUser,
  removeClient,
  removeUser,
  saveCode,
  saveRevokedToken,
} from '../records.ts'
import { pendingOf } from './answered-contract.ts'
import { deriving, opaque } from './deriving.ts'
import { EVIDENCE } from './evidence-contract.ts'
import { refreshing } from './family.ts'
import { NOTICE } from './logout-contract.ts'
import { LIMITS, newClient } from './registration-contract.ts'
import { session } from './session-contract.ts'
import { attempt, CODE, collect } from './subject.ts'
import { useRefreshToken } from './use-refresh-token.ts'

type Calls = Record<string, () => Promise<unknown>>

const TOLD = { entries: [{ text: 'entry' }], ttl: 60 }

/** The calls that signing in and out make; in this order each call finds the record it needs. */
export function signInCalls(storage: Storage) {
  const grant = newFamilyId()
  const context = { storage, now: Date.now }
  const [pending, denied, code] = [pendingOf(grant), pendingOf(grant), newToken(grant)]
  const later = { ...NOTICE, attempts: NOTICE.attempts + 1 }
  return {
    createSession: () => createSession(storage, 'id', session(), 60),
    useSession: () => useSession(storage, 'id', 60),
    useSessionFor: () => useSessionFor(storage, 'id', 60, 'app'),
    joinSession: () => changeSession(storage, 'id', { clients: ['app'] }),
    endSession: () => takeSession(storage, 'id'),
    answerOnce: () => answerOnce(context, pending, { code, record: CODE, ttl: 60 }),
    'answerOnce without a code': () => answerOnce(context, denied),
    useOnce: () => useOnce(context, 'otp', 'alice 7', 60),
    endGrant: () => storage.families.endFamily(grant, 60),
    saveConsent: () =>
      saveConsent(
        { storage: storage, now: Date.now },
        { sub: 'alice', client_id: 'app', scope: 'openid' },
        60,
      ),
    readConsent: () => readConsent(storage, 'alice', 'app'),
    queueLogouts: () => queueLogouts(storage, [NOTICE]),
    putOutbox: () => storage.outboxes.put('mail', ['item'], { max: 2, ttl: 60 }),
    readOutbox: () => storage.outboxes.read('mail', { limit: 1, ttl: 60 }),
    removeFromOutbox: () => storage.outboxes.remove('mail', 'item'),
    sizeOfOutbox: () => storage.outboxes.size('mail'),
    clearOutbox: () => storage.outboxes.clear('mail'),
    claimLogouts: () => claimLogouts({ queue: storage.queue, log: SILENT }, 1, 60),
    putOffLogout: () => retryLogouts(storage, { notice: NOTICE, delay: 60, failed: true }),
    finishLogout: () => finishLogouts(storage, later),
    countFailure: () => storage.counters.countFailure('client', 'name', 60_000),
    countFailures: () => storage.counters.countFailures([{ group: 'client', name: 'name', max: 5 }], 60_000),
    forgiveFailures: () => storage.counters.forgiveFailures([{ group: 'client', name: 'name' }]),
    clearFailures: () => storage.counters.clearFailures('client', 'name'),
    rememberBrowser: () =>
      storage.counters.rememberBrowser(
        'user',
        { name: 'browser', bound_to: 'password' },
        { max: 5, ttl: 60 },
        { username: 'alice', at: 1 },
      ),
    findBrowser: () => storage.counters.findBrowser('user', 'browser'),
  } satisfies Calls
}

export function everyCall(storage: Storage): Calls {
  const grant = newFamilyId()
  const code = newToken(grant)
  const token = { type: 'access_token', client_id: 'app', subject: '', scope: '' } as const
  return {
    ...signInCalls(storage),
    probe: () => storage.probe(),
    pageOfList: () => storage.lists.page({ list: 'sessions-of', owner: 'alice' }, { limit: 1 }),
    amongList: () => storage.lists.among({ list: 'sessions-of', owner: 'alice' }, ['id']),
    countList: () => storage.lists.count({ list: 'sessions-of', owner: 'alice' }),
    addToList: () =>
      storage.lists.add({ list: 'sessions-of', owner: 'alice', id: 'id', until: Date.now() + 60_000 }),
    removeFromList: () => storage.lists.remove({ list: 'sessions-of', owner: 'alice' }, 'id'),
    registerOpenly: () => storage.registrations.registerOpenly(newClient(storage), 'address', LIMITS),
    mayRegisterOpenly: () => storage.registrations.mayRegisterOpenly('address', LIMITS),
    clearRegistrations: () => storage.registrations.clearRegistrations('address'),
    putEntries: () => storage.bounded.put('server-ids', [], { ttl: 60_000, max: 5 }),
    readEntries: () => storage.bounded.read('server-ids'),
    dropEntry: () => storage.bounded.drop('server-ids', 'name'),
    giveEvidence: () => storage.evidence.give('digest', EVIDENCE),
    readEvidence: () => storage.evidence.read(evidenceTag('alice'), 'digest'),
    takeEvidence: () => storage.evidence.take(evidenceTag('alice'), 'digest', EVIDENCE),
    listEvidence: () => storage.evidence.list(evidenceTag('alice')),
    endEvidence: () => storage.evidence.end(evidenceTag('alice')),
    appendTrail: () => storage.trail.append('batch', TOLD),
    readTrail: () => storage.trail.read({ limit: 1 }),
    countTrail: () => storage.trail.size(),
    trimTrail: () => storage.trail.trim('1-0', TOLD),
    collectTrail: () => storage.trail.collect(),
    sealTrail: () => storage.trail.seal(undefined, 'block', 60),
    readBlocks: () => storage.trail.blocks({ limit: 1 }),
    removeTold: () => storage.records.remove(USER, 'alice', TOLD),
    use: () => storage.records.use(INITIAL_ACCESS_TOKEN, '{clients}:digest', 1, newClient(storage)),
    readClient: () => readClient(storage, 'app'),
    listClients: () => collect(listClients(storage)),
    createClient: () => createClient(storage, 'app', { client_name: 'App' }),
    changeClient: () => changeClient(storage, 'app', { set: {}, unset: [] }),
    removeClient: () => removeClient(storage, 'app'),
    readUser: () => readUser(storage, 'alice'),
    listUsers: () => collect(listUsers(storage)),
    pageOfUsers: () => storage.records.page(USER, { limit: 10 }),
    createUser: () => createUser(storage, 'alice', { sub: 'alice' }),
    changeUser: () => changeUser(storage, 'alice', { set: {}, unset: [] }),
    removeUser: () => removeUser(storage, 'alice'),
    saveCode: () => saveCode(storage, code, CODE, 60),
    redeemCode: () => redeemCode(storage, code, attempt(grant, 'one')),
    saveClientToken: () => storage.families.saveClientToken({ token: code, client_id: 'app', scope: '' }, 60),
    grantOnce: () =>
      storage.families.grantOnce({
        token: code,
        is_jwt: false,
        single_uses: [{ kind: 'assertion', id: newToken(grant), ttl: 60 }],
        client_id: 'app',
        scope: '',
        access_token_ttl: 60,
      }),
    useOnce: () =>
      storage.families.useOnce([{ kind: 'assertion', id: newToken(grant), ttl: 60 }], 'app', {
        kind: { name: 'pushed', slot: 'family' },
        id: newToken(grant),
        hash: { client_id: 'app' },
        ttl: 60,
      }),
    deriveToken: () => storage.families.deriveToken(deriving(opaque(code))),
    presentToken: () =>
      storage.families.presentToken({
        ...{ token: code, type: 'refresh_token', client_id: 'app', single_uses: [] },
      }),
    readDerived: () => storage.families.readDerived(grant),
    readOrigins: () => storage.families.readOrigins(code, { derived_from: code.slice(17) }),
    endDerived: () => storage.families.endDerived(grant, 'app'),
    findTokenByProof: () =>
      storage.families.findTokenByProof(
        code,
        { single_use: { kind: 'proof', id: newToken(grant), ttl: 60 }, jkt: 'thumbprint' },
        true,
      ),
    findTokensAndFamilies: () => storage.families.findTokensAndFamilies([code]),
    noteJwt: () =>
      storage.noted_jwts.add(
        { list: 'list', index: 1, jti: code, client_id: 'app', issued_at: 1, is_own: true },
        60,
      ),
    walkNoted: () => collect(storage.noted_jwts.walk()),
    findToken: () => storage.families.findToken(code),
    findTokenAndGrant: () => storage.families.findTokenAndFamily(code),
    refresh: () => useRefreshToken(storage, code, refreshing(grant, 'one')),
    saveRevokedToken: () => saveRevokedToken(storage, code, token, new Date(Date.now() + 60_000)),
    revokeToken: () => storage.families.revokeToken(code),
    revokeGrant: () => storage.families.revokeFamily(grant),
    revokeGrantedBefore: () => endAllBefore(storage, 1),
    readGrant: () => storage.families.readFamily(grant, 10),
    findGrant: () => storage.families.findFamily(grant),
    readSigningKeys: () => storage.signing_keys.read(),
    replaceSigningKeys: () => storage.signing_keys.replace({}, { kid: 'key' }),
    readClock: () => storage.signing_keys.now(),
    readSealingKeys: () => storage.sealing_keys.read(),
    replaceSealingKeys: () => storage.sealing_keys.replace({}, { kid: 'key' }),
    readStatusLists: () => storage.status_lists.read(),
    replaceStatusLists: () => storage.status_lists.replace({}, { reserved: '1' }),
  }
}
