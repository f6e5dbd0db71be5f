// `redmint issuer …`, the fields of clients and users that name issuers, and issuers in a file of `redmint apply`.

import t from 'tap'
import { lintClient } from '../../../src/admin/clients/lint.ts'
import { lintIssuer } from '../../../src/admin/issuers/lint.ts'
import { ISSUER_PRESET_NAMES, ISSUER_PRESETS } from '../../../src/admin/issuers/presets.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { ISSUER } from '../../../src/issuers/issuer-kind.ts'
import { formatIssuer, parseIssuer } from '../../../src/issuers/issuer-record.ts'
import type { RecordStore } from '../../../src/storage/storage.ts'
import { findLinkedAccount } from '../../../src/users/linked-account.ts'
import { createCli } from '../../support/cli/run-cli.ts'
import { readClient, readUser } from '../../support/records.ts'
import { CLIENTS } from '../../support/service.ts'
import { issuerKey, JWT_BEARER, keySetOf } from '../../support/trusted-issuer.ts'

const GITHUB = ISSUER_PRESETS['github-actions'].issuer
const URL = 'https://ci.example.com'
const KEY_SET = keySetOf(issuerKey())

const read = async ({ records }: RecordStore, issuer: string) => (await records.read(ISSUER, issuer))?.hash
const problems = (found: readonly { field: string; problem: string }[]) => found.map(({ field }) => field)

t.test('every preset makes a record, and names what is missing', async (t) => {
  for (const name of ISSUER_PRESET_NAMES) {
    const { storage, redmint } = createCli()
    const preset = ISSUER_PRESETS[name]
    const url = 'issuer' in preset ? [] : ['https://issuer.example.com']
    const { code, stdout } = await redmint(['issuer', 'add', ...url, '--for', name])
    t.equal(code, 0, stdout)
    t.match(stdout, `--assertion-subject '${preset.subject}'`)
    t.match(stdout, 'TRUSTED_ISSUERS=true')
    const issuer = 'issuer' in preset ? preset.issuer : url[0]
    const hash = (await read(storage, String(issuer))) ?? {}
    t.match(parseIssuer(String(issuer), hash), { ok: true, record: preset.fields })
    t.equal(stdout.includes('has none about an owner'), 'wanted' in preset)
    if (url.length === 0) continue
    t.match(await redmint(['issuer', 'add', '--for', name]), {
      code: 2,
      stderr: /Give the URL of the issuer/,
    })
  }
})

t.test('lint says what trusts too much', async (t) => {
  const lint = (issuer: string, fields: object) =>
    problems(lintIssuer(issuer, formatIssuer({ issuer, ...fields })))
  t.strictSame(lint(URL, {}), [])
  t.strictSame(lint(GITHUB, {}), ['conditions'], 'everybody has a repository')
  t.strictSame(lint(GITHUB, { conditions: ['repository_owner=**'] }), ['conditions', 'conditions'])
  t.strictSame(lint(GITHUB, { conditions: ['ref=refs/heads/main'] }), ['conditions'])
  t.strictSame(lint('https://gitlab.com', { conditions: ['namespace_path=acme'] }), [])
  t.strictSame(lint(URL, { audience: 'sts' }), ['audience'], 'it authenticates clients, too')
  t.strictSame(lint(URL, { audience: 'sts', uses: ['grant'] }), [])
  t.strictSame(lint(URL, { audience: 'sts', profile: 'id-jag', scopes: ['a'] }), ['audience'])
  t.strictSame(lint(URL, { reusable: true }), ['reusable'])
  t.strictSame(lint(URL, { max_lifetime: 7200 }), ['max_lifetime'])
  t.strictSame(lint(URL, { jwks: KEY_SET }), ['jwks'])
  t.strictSame(lint(URL, { scopes: ['a'] }), ['scopes'])
  t.strictSame(lint(URL, { profile: 'id-jag' }), ['scopes'])
  t.strictSame(lint(URL, { profile: 'id-jag', scopes: ['a'], account_by: 'verified_email' }), ['account_by'])
  t.match(lintIssuer(URL, { issuer: URL, conditons: 'x' }), [{ level: 'warning', problem: /conditions\?/ }])
  t.match(lintIssuer(URL, { issuer: 'x' }), [{ level: 'error', field: 'issuer' }])

  const ofClient = (assertion_subject: string, more: object = {}) => {
    const client = { ...CLIENTS.service, assertion_issuer: GITHUB, assertion_subject, ...more }
    return problems(lintClient('service', formatClient(client), {})).filter((field) =>
      /^assertion/.test(field),
    )
  }
  t.strictSame(ofClient('repo:acme/shop:ref:refs/heads/main'), [])
  for (const subject of [
    '**',
    '*',
    'repo:*/shop:ref:x',
    'repo:acme/shop:**',
    'repo:acme/shop:pull_request',
  ]) {
    t.strictSame(ofClient(subject), ['assertion_subject'], subject)
  }
  const makes_previews = { allowed_scopes: ['redmint:previews:write'] }
  t.strictSame(
    ofClient('repo:acme/shop:pull_request', makes_previews),
    [],
    'previews are for what others propose',
  )
  const does_more = { allowed_scopes: ['redmint:previews:write', 'api.read'] }
  t.strictSame(ofClient('repo:acme/shop:pull_request', does_more), ['assertion_subject'])
  t.strictSame(ofClient('repo:acme/shop:pull_request', { allowed_scopes: [] }), ['assertion_subject'])
  for (const subject of ['system:serviceaccount:*:billing', 'system:serviceaccount:prod:*']) {
    t.strictSame(ofClient(subject), ['assertion_subject'], subject)
  }
  t.strictSame(ofClient('x', { assertion_claims: ['ref=**'] }), ['assertion_claims'])
})

t.test('a client is added without a secret, and lint knows whether its issuer is trusted', async (t) => {
  const { storage, redmint } = createCli()
  const assertion = ['--assertion-issuer', URL, '--assertion-subject', 'system:serviceaccount:prod:billing']
  const { code, stdout } = await redmint(['client', 'add', 'billing', ...assertion, '--scope', 'api.read'])
  t.equal(code, 0)
  t.notMatch(stdout, 'shown only once')
  t.match(await readClient(storage, 'billing'), { client_secret_hash: '', grant_types: JWT_BEARER })
  t.match(await redmint(['client', 'lint']), {
    code: 0,
    stdout: /redmint issuer add https:\/\/ci\.example\.com/,
  })
  await redmint(['issuer', 'add', URL])
  t.match(await redmint(['client', 'lint']), { code: 0, stdout: '1 client: 0 errors, 0 warnings.\n' })
})

t.test('a user is linked to an issuer, and found by the link until it is removed', async (t) => {
  const { storage, redmint } = createCli()
  const link = `${URL}#00u1`
  await redmint(['user', 'add', 'ann', '--linked-subject', link])
  const accounts = { find: async () => ({ linked_subjects: [link], username: 'ann' }) as never }
  const find = () =>
    findLinkedAccount({ storage, accounts, log: console, settings: { demo: false } }, URL, { sub: '00u1' })
  t.match(await find(), { username: 'ann' })
  t.match(await redmint(['user', 'lint']), { code: 0 })
  t.match(await redmint(['user', 'update', 'ann', '--clear-linked-subjects']), { code: 0 })
  t.equal((await readUser(storage, 'ann'))?.linked_subjects, undefined)
  t.equal(await find(), undefined)
  t.match(await redmint(['user', 'add', 'bob', '--linked-subject', 'bob']), {
    code: 1,
    stderr: /<issuer>#<sub>/,
  })
})

t.test('a file declares issuers', async (t) => {
  const { storage, redmint } = createCli()
  const file = (fields: object, label = 'ci') =>
    JSON.stringify({ label, issuers: [{ issuer: URL, ...fields }] })
  const jwks = JSON.parse(KEY_SET)
  const first = file({ jwks, conditions: ['team=shop'], reusable: true })
  t.match(await redmint(['apply', '-'], first), { code: 0, stdout: /created +issuer +https:/ })
  t.match(await read(storage, URL), {
    jwks: KEY_SET,
    conditions: 'team=shop',
    reusable: 'true',
    managed_by: 'ci',
  })
  t.match(await redmint(['apply', '-'], first), { code: 0, stdout: /unchanged 1/ })
  t.match(await redmint(['apply', '-'], file({ jwks })), { code: 0, stdout: /conditions: team=shop -> none/ })
  await redmint(['issuer', 'update', URL, '--disabled', 'true'])
  t.match(
    await redmint(['apply', '-'], file({ jwks })),
    { code: 0, stdout: /unchanged 1/ },
    'an emergency stays',
  )
  t.match(await redmint(['apply', '-'], file({ jwks }, 'other')), { code: 1, stderr: /managed by "ci"/ })
  const empty = JSON.stringify({ label: 'ci', issuers: [] })
  t.match(await redmint(['apply', '-', '--prune', '--yes'], empty), { code: 0, stdout: /removed +issuer/ })
  t.equal(await read(storage, URL), undefined)
  const wrong: [object, RegExp][] = [
    [{ conditons: [] }, /did you mean conditions/],
    [{ conditions: ['x'] }, /must be <claim>=<pattern>/],
    [{ managed_by: 'x' }, /cannot be declared/],
    [{ issuer: 'x' }, /must be an https URL/],
    [{ jwks: {} }, /not a key set/],
    [{ max_lifetime: true }, /must be a number/],
  ]
  for (const [fields, problem] of wrong)
    t.match(await redmint(['apply', '-'], file(fields)), { code: 1, stderr: problem })
})
