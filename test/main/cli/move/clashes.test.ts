// What stands against a record that is well-formed by itself.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { keyProblems, putKeys } from '../../../../cli/move/moved-keys.ts'
import { MOVED_KINDS } from '../../../../cli/move/moved-kinds.ts'
import { newPreviewId } from '../../../../src/clients/record/preview-fields.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { passkeyDigest } from '../../../../src/factors/passkeys/passkey-owner.ts'
import { consentId } from '../../../../src/interaction/consent.ts'
import { maintainSigningKeys } from '../../../../src/keys/rotate.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { hostContext } from '../../../support/cli/move/host-context.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { createUser, readClient, readUser } from '../../../support/records.ts'
import { useTestKeys } from '../../../support/service.ts'

const ISSUER = 'https://auth.example.com'
const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', ISSUER }
const HEADER = { redmint_export: 1, issuer: ISSUER, passkey_host: 'auth.example.com', exported_at: 'now' }

const fileOf = (...records: readonly { kind: string }[]) => {
  const counts: Record<string, number> = {}
  for (const { kind } of records) counts[kind] = (counts[kind] ?? 0) + 1
  return [HEADER, ...records, { end: true, counts }].map((line) => JSON.stringify(line)).join('\n')
}

const PASSKEY = {
  name: 'Key',
  public_key: 'AAAA',
  counter: 0,
  created_at: 1,
  backup_eligible: true,
  backed_up: true,
  user_verified: true,
  transports: [],
  aaguid: '',
}
const withPasskey = (id: string, credential: string) => ({
  kind: 'user',
  id,
  fields: { sub: `sub-${id}` },
  factors: { generation: '1', user_handle: 'handle', [`passkey:${credential}`]: JSON.stringify(PASSKEY) },
})

t.test('a passkey is that of one user', async (t) => {
  const { storage, redmint } = createCli({ environment })
  t.match(await redmint(['import', '-'], fileOf(withPasskey('alice', 'AAAA'))), { code: 0 })
  t.ok(
    await storage.records.read(
      { name: 'passkey', parse: () => ({ ok: true, record: 1 }) },
      passkeyDigest('AAAA'),
    ),
  )
  const answer = await redmint(['import', '-'], fileOf(withPasskey('mallory', 'AAAA')))
  t.match(answer, { code: 1, stderr: /user "mallory" has the passkey AAAA, which another user has/ })
  t.equal(await readUser(storage, 'mallory'), undefined)
  t.equal((await findFactors({ storage }, 'mallory')).factors.passkeys.size, 0)
})

t.test('a user whom people take for another one, and a resource in another spelling', async (t) => {
  const { storage, redmint } = createCli({ environment })
  await createUser(storage, 'Ann', { sub: 'there' })
  const ann = { kind: 'user', id: 'ann', fields: { sub: 'new' } }
  t.match(await redmint(['import', '-'], fileOf(ann)), {
    code: 1,
    stderr: /people take for that of the user "Ann"/,
  })
  const by_hand = {
    kind: { name: 'resource', listed: true },
    id: 'https://api.example.com/',
    hash: { scopes: '' },
  } as const
  await storage.records.put(by_hand)
  const resource = { kind: 'resource', id: 'https://api.example.com', fields: { scopes: '' } }
  t.match(await redmint(['import', '-'], fileOf(resource)), {
    code: 1,
    stderr: /is here already, as "https:\/\/api\.example\.com\/"/,
  })
})

t.test('what is over is not written, and what is not keeps its end', async (t) => {
  const { storage, redmint } = createCli({ environment })
  const consent = (client_id: string, given_at: string) => ({
    kind: 'consent',
    id: consentId('a', client_id),
    fields: { scope: 'openid', given_at },
  })
  const invitation = (id: string, expires_at: string) => ({
    kind: 'user-invitation',
    id,
    fields: {
      secret_hash: 'x',
      uses_left: '1',
      created_at: '2020-01-01T00:00:00.000Z',
      expires_at,
      by_kind: 'command',
      groups: '[]',
    },
  })
  const [past, soon] = ['2020-01-01T00:00:00.000Z', new Date(Date.now() + 86_400_000).toISOString()]
  const text = fileOf(
    invitation('0000000000000001', past),
    invitation('0000000000000002', soon),
    consent('old', past),
    consent('web', new Date().toISOString()),
  )
  const answer = await redmint(['import', '-', '--json'], text)
  t.match(parsed(answer), {
    kinds: { consent: { created: 1, over: 1 }, 'user-invitation': { created: 1, over: 1 } },
  })
  t.equal(await storage.lists.count({ list: 'consents-of', owner: 'a' }), 1)
})

t.test('a signing key has the private part of its public one, and no other fields', async (t) => {
  const storage = new MemoryStorage()
  await useTestKeys(storage)
  const { allKeys } = await import('../../../../cli/move/moved-keys.ts')
  const context = hostContext(storage, completeSettings({ issuer: ISSUER }))
  const keys = []
  for await (const key of allKeys(context)) keys.push(key)
  const [one, other] = keys.filter(({ content }) => content.fields.alg === 'ES256')
  if (one === undefined || other === undefined) throw new Error('keys')
  t.strictSame(keyProblems(one.id, one.content), [])
  const mixed = { ...one.content, private_jwk: other.content.private_jwk ?? '' }
  t.match(keyProblems(one.id, mixed), [/not that of its public key/])
  const more = { ...one.content, fields: { ...one.content.fields, private_jwe: 'x' } }
  t.strictSame(keyProblems(one.id, more), ['is not a signing key'])
  t.strictSame(keyProblems(one.id, { fields: one.content.fields }), ['is not a signing key'])

  // Keys that the servers here cannot use must not come between those that they can.
  const here = new MemoryStorage()
  const theirs = { key_rotation_days: 90, key_encryption_key: Buffer.alloc(32, 1) }
  await maintainSigningKeys(here.signing_keys, theirs, new Date(), { algs: ['ES256'] })
  const settings = completeSettings({ issuer: ISSUER, key_encryption_key: Buffer.alloc(32, 2) })
  const moved = new Map([[one.id, one.content]])
  await t.rejects(putKeys(hostContext(here, settings), moved, 'own', true), /another KEY_ENCRYPTION_KEY/)
})

t.test('a client that was removed a moment ago is not imported before all servers know it', async (t) => {
  const storage = new MemoryStorage()
  const context = hostContext(storage, completeSettings({ issuer: ISSUER }))
  await storage.records.put({
    kind: { name: 'removed-client' },
    id: 'web',
    hash: { removed_at: new Date(context.now()).toISOString() },
  })
  const problems = await MOVED_KINDS.client.clashes(context, 'web', { fields: {} }, undefined)
  t.match(problems, [/was removed here within the last two seconds/])
})

t.test('no preview is moved, and no file makes one', async (t) => {
  const { redmint, storage } = createCli({ environment })
  const fields = ['--public', '--redirect-uri', 'https://shop.example.com/callback']
  await redmint(['client', 'add', 'shop', ...fields, '--preview-host', 'preview.example.com'])
  const redirect = 'https://pr-1.preview.example.com/callback'
  const made = await redmint(['client', 'for-preview', '--of', 'shop', '--redirect', redirect, '--json'])
  const { client_id } = parsed(made) as { client_id: string }
  const exported = join(t.testdir({}), 'export')
  t.match(await redmint(['export', exported]), { code: 0 })
  const moved = await readFile(exported, 'utf8')
  t.match(moved, '"shop"')
  t.notMatch(moved, client_id)
  const hash = (await readClient(storage, client_id)) ?? {}
  const other = newPreviewId()
  const file = fileOf({ kind: 'client', id: other, fields: { ...hash, client_id: other } } as never)
  t.match(await redmint(['import', '-'], file), { code: 1, stderr: /is a preview: make it again here/ })
  t.equal(await readClient(storage, other), undefined)
  const list = async (client: object, ...flags: string[]) =>
    redmint(['client', 'import', '-', ...flags], JSON.stringify(client))
  t.match(await list({ ...hash, is_public: true, client_id: other }), { code: 1, stderr: /for-preview/ })
  t.match(await list({ is_public: true, redirect_uris: [redirect], client_id: other }), { code: 1 })
  t.equal(await readClient(storage, other), undefined)
  const longer = { client_id, lapses_at: '2100-01-01T00:00:00.000Z' }
  t.match(await list(longer, '--update'), { code: 1, stderr: /change that one, and make the preview again/ })
  t.match(await redmint(['client', 'update', client_id, '--first-party', 'true']), { code: 1 })
  t.match(await redmint(['client', 'update', client_id, '--confidential']), { code: 1 })
  t.match(await redmint(['client', 'rotate-secret', client_id]), { code: 1 })
  const declared = {
    label: 'team',
    clients: [{ client_id, is_public: true, redirect_uris: [redirect] }],
  }
  t.match(await redmint(['apply', '-'], JSON.stringify(declared)), { code: 1, stderr: client_id })
  t.strictSame(await readClient(storage, client_id), hash)
})
