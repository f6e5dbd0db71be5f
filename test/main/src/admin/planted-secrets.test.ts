// G5: nothing secret is in an answer, a refusal, a difference, a list, an event or an entry of the trail of any operation.
import t from 'tap'
import { csvLine } from '../../../../src/audit/csv.ts'
import { toOcsf } from '../../../../src/audit/ocsf.ts'
import { secretHash } from '../../../../src/clients/record/client-secret.ts'
import { formatSigningKeys, parseSigningKeys } from '../../../../src/keys/key-record.ts'
import { PROVIDER } from '../../../../src/providers/provider-record.ts'
import { entriesIn, recorderOn } from '../../../support/audited.ts'
import { signIn } from '../../../support/cli/tokens.ts'
import { testKeys } from '../../../support/keys.ts'
import { OPERATIONS, onEachStorage, operatorOn } from '../../../support/operator.ts'
import { changeClient, readClient } from '../../../support/records.ts'

const SECRET = 'planted-secret-of-more-than-32-characters'
const PLANTED = {
  client_secret_hash: secretHash(SECRET),
  old_secret_hash: secretHash('the planted one before'),
  old_secret_ends_at: '2100-01-01T00:00:00.000Z',
  registration_token_hash: 'planted-registration-token-hash',
  a_field_of_nobody: 'planted-text',
}
const HIDDEN = [
  SECRET,
  ...Object.values(PLANTED).filter((value) => !value.startsWith('2100')),
  'planted-token',
]

onEachStorage(t, 'G5: what is planted comes out nowhere', async (t, storage) => {
  const { recorder } = recorderOn(storage)
  const { run, answers, events } = operatorOn(storage, { recorder })
  const { access_token, refresh_token } = await signIn(storage)
  await storage.signing_keys.replace({}, formatSigningKeys(parseSigningKeys(await testKeys())))
  const one = { params: { client_id: 'shop' } }
  await run('create_clients', { body: { items: [{ client_id: 'shop', client_secret: SECRET }] } })
  const called = new Set(['create_clients', 'rotate_keys'])
  const call = async (name: string, given: Parameters<typeof run>[1] = {}) => {
    called.add(name)
    return run(name, given).catch(() => undefined)
  }
  for (const malformed of [{}, { is_public: 'perhaps' }]) {
    await changeClient(storage, 'shop', { set: { ...PLANTED, ...malformed } })
    const version = (await call('read_client', one))?.version ?? ''
    await call('list_clients')
    await call('create_client', { body: { client_id: 'shop', client_secret: SECRET } })
    await call('lint_client', one)
    await call('lint_clients')
    for (const name of ['read_client_keys', 'refresh_client_keys']) await call(name, one)
    await call('client_settings', { ...one, query: { for: 'machine' } })
    for (const dry_run of [true, false]) {
      const patch = { client_secret: SECRET, logo_uri: 'malformed' }
      await call('change_client', { ...one, version, dry_run, body: patch })
      await call('change_client', { ...one, version, dry_run, body: { is_public: true } })
      await call('replace_client', { ...one, version, dry_run, body: { client_secret: SECRET } })
    }
    await call('rotate_client_secret', { ...one, body: { client_secret: SECRET, keep_old_for: 60 } })
    await changeClient(storage, 'shop', { set: { ...PLANTED, ...malformed } })
    await call('delete_client', { ...one, version, dry_run: true })
    for (const name of ['disable_client', 'enable_client', 'end_old_client_secret']) await call(name, one)
  }
  const { version } = await run('read_client', one)
  await call('delete_client', { ...one, version })
  t.equal(await readClient(storage, 'shop'), undefined)
  for (const token of [access_token, refresh_token, `${access_token}x`]) {
    await call('inspect_token', { body: { token } })
    await call('revoke_token', { body: { token } })
  }
  await call('list_keys')
  for (const name of ['resource', 'issuer']) {
    const given = { [name]: `https://${name}.example.com`, a_field_of_nobody: 'planted' }
    for (const verb of ['create', 'replace', 'read', 'change', 'delete'])
      await call(`${verb}_${name}`, { params: given, body: given, version: '"x"' })
    await call(`list_${name}s`)
    await call(`lint_${name}s`)
  }
  const type = { detail_type: 'planted', a_field_of_nobody: 'planted' }
  for (const verb of ['create', 'replace', 'read', 'change', 'delete'])
    await call(`${verb}_detail_type`, { params: type, body: type, version: '"x"' })
  await call('list_detail_types')
  await call('lint_detail_types')
  // No request leaves: the address is not public.
  const provider = { provider: 'acme', issuer: 'https://127.0.0.1:9', client_id: 'redmint' }
  const of_provider = { params: { provider: 'acme' }, body: provider, version: '"x"' }
  t.match(await call('create_provider', of_provider), { body: { provider: 'acme' } })
  await call('set_provider_secret', { ...of_provider, body: { client_secret: SECRET } })
  t.match(await storage.records.read(PROVIDER, 'acme'), { hash: { client_secret_sealed: /./ } })
  for (const verb of ['read', 'test', 'replace', 'change', 'delete'])
    await call(`${verb}_provider`, of_provider)
  await call('list_providers')
  await call('lint_providers')
  await call('list_provider_uses')
  await call('list_groups')
  for (const name of ['read_login', 'accept_login', 'refuse_login'])
    await call(name, { params: { challenge: 'planted-token' }, body: { sub: 'x' } })
  for (const name of ['list', 'create', 'delete'])
    await call(name === 'list' ? 'list_invitations' : `${name}_invitation`, {
      params: { id: 'x'.repeat(16) },
    })

  await recorder.close()
  const entries = await entriesIn(storage)
  t.ok(entries.length > 10, 'the trail has what was done')
  const tables = entries.map(csvLine)
  const said = JSON.stringify([answers, answers.map(String), events, entries, entries.map(toOcsf), tables])
  const secrets = [access_token, refresh_token].map((token) => token.split('.')[1] ?? '')
  for (const { private_jwk = {} } of parseSigningKeys(await testKeys())) secrets.push(String(private_jwk.d))
  for (const secret of [...HIDDEN, ...secrets])
    t.notOk(said.includes(secret), `nowhere: ${secret.slice(0, 12)}`)
  t.strictSame(
    OPERATIONS.map(({ name }) => name).filter((name) => !called.has(name)),
    [],
    'every operation was called',
  )
})
