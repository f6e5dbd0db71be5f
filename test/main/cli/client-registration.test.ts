// The operator's view of clients that register themselves: invitations, list, show, lint, doctor, apply.
import t from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { changeClient, readClient } from '../../support/records.ts'
import { APP, startRegistration } from '../../support/registration.ts'
import { bearer } from '../../support/service.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', CLIENT_REGISTRATION: 'invitation' }

t.test('invite makes an invitation, which is shown once', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const made = await redmint(['client', 'invite', '--uses', '2', '--ttl', '30m', '--json'])
  t.equal(made.code, 0)
  const { invitation, ...rest } = parsed<{ invitation: string }>(made)
  t.match(rest, {
    uses: 2,
    expires_at: /^\d{4}-/,
    registration_endpoint: 'http://localhost:3000/oauth2/register',
    client_registration: 'invitation',
  })
  t.notMatch(made.stderr, invitation)
  const [[id, hash] = ['', {}]] = storage.records.of({ name: 'invitation' }).entries()
  t.notMatch(`${id} ${JSON.stringify(hash)}`, invitation, 'storage has its digest')
  const { register } = await startRegistration(t, { storage, now: Date.now })
  t.equal((await register(APP, bearer(invitation))).status, 201)

  t.match((await redmint(['client', 'invite'])).stdout, /registers 1 client until/)
  const off = createCli()
  t.match((await off.redmint(['client', 'invite'])).stdout, /CLIENT_REGISTRATION is off here/)
  const wrong: [flag: string, values: string[], accepted: string][] = [
    ['--uses', ['0', '10001', 'x'], 'Give a whole number from 1 to 10000.'],
    ['--ttl', ['0', '0m', '91d', 'x'], 'Give minutes, hours or days, at most 90d: 30m, 24h, 7d.'],
  ]
  for (const [flag, values, accepted] of wrong) {
    for (const value of values) {
      t.match(await redmint(['client', 'invite', flag, value]), { code: 2, stderr: accepted }, value)
    }
  }
})

t.test('list, show, lint and doctor say which clients registered themselves', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const { register } = await startRegistration(t, { storage, now: Date.now })
  const { client_id } = (await register({ ...APP, contacts: ['dev@app.example'] })).json
  const { stdout } = await redmint(['client', 'list'])
  t.match(stdout, new RegExp(`^${client_id} .* active, registered itself, lapses \\d{4}-\\d\\d-\\d\\d$`, 'm'))
  t.match(stdout, / +active$/m, 'the others')
  const shown = await redmint(['client', 'show', client_id])
  t.match(shown.stdout, /^registered_at +\d{4}-/m)
  t.match(shown.stdout, /^registration_token +set$/m)
  t.match(shown.stdout, /^contacts +dev@app\.example$/m)
  const { registration_token_hash = '' } = (await readClient(storage, client_id)) ?? {}
  t.notMatch((await redmint(['client', 'show', client_id, '--json'])).stdout, registration_token_hash)
  t.match(await redmint(['client', 'lint', client_id]), { code: 0, stdout: /0 errors, 0 warnings/ })

  await changeClient(storage, client_id, { set: { first_party: 'true', registered_at: '' } })
  t.match((await redmint(['client', 'lint', client_id])).stdout, /lapses_at ends the client/)
  const registered_at = '2026-11-22T08:00:00.000Z'
  await changeClient(storage, client_id, { set: { registered_at, can_introspect: 'true' } })
  const { stdout: linted } = await redmint(['client', 'lint', client_id])
  for (const field of ['first_party', 'can_introspect'])
    t.match(linted, `${field} is true, but the client registered itself`)
})

t.test('apply --prune leaves clients alone that registered themselves', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage, environment: ENVIRONMENT })
  const { register } = await startRegistration(t, { storage, now: Date.now })
  const { client_id } = (await register(APP)).json
  const before = await readClient(storage, client_id)
  const file = 'label: shop\nclients: []\n'
  t.match(await redmint(['apply', '-', '--prune', '--yes'], file), { code: 0 })
  t.same(await readClient(storage, client_id), before)
})
