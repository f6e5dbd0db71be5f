// Every operation that writes × what has rights that the caller lacks. A new operation has to say whose rights it takes.
import t from 'tap'
import type { AdminContext, Operation } from '../../../../../src/admin/operation/operation.ts'
import { OPERATIONS } from '../../../../../src/admin/operations.ts'
import { formatClient } from '../../../../../src/clients/record/client-record.ts'
import { readConfig } from '../../../../../src/config/config.ts'
import type { SecurityEvent } from '../../../../../src/core/events.ts'
import { newFamilyId, newToken } from '../../../../../src/core/token-string.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { redeemCode } from '../../../../../src/tokens/token-families.ts'
import { indexAdministrator } from '../../../../../src/users/administrators.ts'
import { createClient, createUser, listClients, listUsers, saveCode } from '../../../../support/records.ts'
import { CLIENTS } from '../../../../support/service.ts'

const RIGHTS = 'redmint:read redmint:write'
const USER = { username: 'ada', sid: 'a', client_id: 'web' }
const CLIENT = { client_id: 'web' }

/** What each is asked about: somebody or something with all rights. */
const ABOVE: Readonly<Record<string, { readonly params?: object; readonly body?: object }>> = {
  ...of(['replace_user', 'change_user', 'delete_user', 'disable_user', 'enable_user', 'end_user'], {
    params: USER,
  }),
  act_as_user: { params: USER, body: { client_id: 'web', resource: 'https://a.example', reason: 'a test' } },
  ...of(['create_reset_link', 'end_session', 'end_sessions', 'reset_factors'], { params: USER }),
  ...of(['withdraw_consent', 'withdraw_consents', 'end_grants_of_user', 'end_acting_for_user'], {
    params: USER,
  }),
  ...of(['replace_client', 'change_client', 'delete_client', 'disable_client'], { params: CLIENT }),
  ...of(['enable_client', 'rotate_client_secret', 'end_old_client_secret'], { params: CLIENT }),
  ...of(['refresh_client_keys', 'end_grants_of_client'], { params: CLIENT }),
  // The grant is filled in.
  ...of(['end_grant', 'end_grant_of_user', 'end_grant_of_client', 'end_acting_in_grant'], { params: USER }),
  ...of(['end_all_sessions'], {}),
  // The token is filled in.
  ...of(['revoke_token'], {}),
  ...of(['create_user'], { body: { username: 'eve', admin: ['redmint:keys:write'] } }),
  ...of(['create_client'], { body: { client_id: 'new', allowed_scopes: ['redmint:keys:write'] } }),
  ...of(['create_issuer', 'replace_issuer', 'change_issuer', 'delete_issuer'], {
    params: { issuer: 'https://issuer.example' },
    body: { issuer: 'https://issuer.example' },
  }),
  ...of(['create_provider', 'replace_provider', 'change_provider', 'delete_provider', 'test_provider'], {
    params: { provider: 'acme' },
    body: { provider: 'acme', issuer: 'https://acme.example', client_id: 'r' },
  }),
  ...of(['set_provider_secret'], { params: { provider: 'acme' }, body: { client_secret: 'a-secret' } }),
}

/** What is about nobody and nothing with rights, and why. */
const BELOW: Readonly<Record<string, string>> = {
  accept_login: 'held by test/main/src/own-login/attacks.test.ts: it takes a challenge',
  accept_consent: 'held by test/main/src/own-login/consent.test.ts: it takes a challenge',
  refuse_login: 'nobody is signed in',
  refuse_consent: 'nothing is granted',
  create_users: 'each is create_user',
  create_clients: 'each is create_client',
  create_user_invitation: 'an account that makes itself has no rights',
  delete_user_invitation: 'as its creation',
  create_invitation: 'a client that registers itself gets no right',
  delete_invitation: 'as its creation',
  make_preview:
    'held by test/main/src/admin/previews/make.test.ts: a preview has no right, and the client names who makes it',
  end_preview: 'as its creation',
  create_resource: 'no API but that of redmint has such scopes',
  replace_resource: 'as its creation',
  change_resource: 'as its creation',
  delete_resource: 'as its creation',
  create_application: 'what another server makes of an assertion is no right here',
  replace_application: 'as its creation',
  change_application: 'as its creation',
  delete_application: 'as its creation',
  create_detail_type: 'details are no scopes',
  replace_detail_type: 'as its creation',
  change_detail_type: 'as its creation',
  delete_detail_type: 'as its creation',
  rotate_keys: 'what was signed stays valid',
  lift_limit: 'it lets people try again, and signs nobody in',
  unlock_user: 'it lets the person try again, and signs nobody in',
  inspect_token: 'it reads',
  what_if_exchange: 'nothing is written',
  what_if: 'it reads',
  test_directory: 'it reads',
  retry_mails: 'what was queued before leaves a little earlier',
  resume_stream: 'what its receiver asked for and waits is delivered',
  delete_stream: 'its receiver makes another one',
  test_mail: 'it sends a mail without a link to the address that is given',
}

function of<T>(names: readonly string[], given: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, given]))
}

const WRITING = Object.values(OPERATIONS).filter(({ method }) => method !== 'GET')

async function stage() {
  const storage = new MemoryStorage()
  const grant = newFamilyId()
  const [code, access_token, refresh_token] = [newToken(grant), newToken(grant), newToken(grant)]
  const binding = { client_id: 'web', redirect_uri: 'https://a.example/', code_challenge: 'challenge' }
  const signed_in = { subject: 'alice', username: 'ada', scope: RIGHTS, auth_time: 1 }
  await createClient(storage, 'web', formatClient({ ...CLIENTS.web, allowed_scopes: RIGHTS.split(' ') }))
  await saveCode(storage, code, { ...binding, ...signed_in }, 60)
  const ttl = { access_token_ttl: 900, refresh_token_ttl: 1800 }
  await redeemCode(storage, code, { ...binding, ...ttl, operation: 'o', access_token, refresh_token })
  await createUser(storage, 'ada', { sub: 'alice', admin: RIGHTS })
  await indexAdministrator(storage, 'ada', true)
  const state = async () => {
    const records = { clients: [] as unknown[], users: [] as unknown[] }
    for await (const one of listClients(storage)) records.clients.push(one)
    for await (const one of listUsers(storage)) records.users.push(one)
    return JSON.stringify([records, await storage.families.findFamily(grant)])
  }
  const events: SecurityEvent[] = []
  const contextOf = (scopes: readonly string[]): AdminContext => ({
    storage,
    settings: readConfig({}).settings,
    caller: { kind: 'client', id: 'lesser', scopes: new Set(scopes) },
    report: (event) => void events.push(event),
    now: Date.now,
  })
  const ask = async ({ name, run }: Operation, scopes: readonly string[], dry_run: boolean) => {
    const { params = {}, body = {} } = ABOVE[name] ?? {}
    // The grant says a user with rights, as one of the device grant does.
    const given = {
      params: { grant, ...params },
      query: {},
      body: name === 'revoke_token' ? { token: access_token } : body,
    }
    return run(contextOf(scopes), { ...given, ...(dry_run && { dry_run }) }).then(
      () => 'done',
      ({ code }: { code?: string }) => code ?? 'fault',
    )
  }
  return { ask, state, events }
}

t.test('every operation that writes says whose rights it takes', async (t) => {
  const known = [...Object.keys(ABOVE), ...Object.keys(BELOW)].sort()
  t.strictSame(WRITING.map(({ name }) => name).sort(), known)
})

t.test('a caller with the right of the area alone changes nothing above it, also by a dry run', async (t) => {
  const { ask, state, events } = await stage()
  const before = await state()
  for (const operation of WRITING.filter(({ name }) => name in ABOVE)) {
    const dry_runs = operation.needs?.dry_run ? [true, false] : [false]
    for (const dry_run of dry_runs)
      t.equal(await ask(operation, [operation.scope], dry_run), 'lacks_right', `${operation.name} ${dry_run}`)
  }
  t.equal(await state(), before)
  t.strictSame(events, [])
})

t.test('a caller with all rights is not refused for rights', async (t) => {
  for (const operation of WRITING.filter(({ name }) => name in ABOVE)) {
    const { ask } = await stage()
    t.not(await ask(operation, RIGHTS.split(' '), false), 'lacks_right', operation.name)
  }
})
