// What each command prints of what its operations answer, as text; and what it says where they refuse.
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { AdminError, type ProblemCode } from '../../../src/admin/operation/problem.ts'
import { StoredKeyError } from '../../../src/keys/wrap.ts'
import { ANSWERS, MALFORMED, RECORDS } from '../../support/cli/answers.ts'
import { type Answers, type Given, NOW, recorded } from '../../support/cli/recorded.ts'
import { parsed } from '../../support/cli/run-cli.ts'

const LATER = new Date(NOW + 3_600_000).toISOString()

/** Runs a command, written as one line; the least of what its operations answer is in ANSWERS. */
const run = (line: string, answers: Answers = {}, given: Given = {}) =>
  recorded(line.split(' '), { ...given, answers: { ...ANSWERS, ...answers } })

const refusedBy = (code: ProblemCode, message = 'It is so.') => new AdminError(code, message)

const CONTROL = 'red \u001b[31m\u009b\u202e'

t.test('a list of records, an empty one, and one that may lack some', async (t) => {
  for (const [noun, list, row, empty, malformed] of [
    [
      'client',
      'list_clients',
      /^shop +The Shop +confidential +authorization_code +active$/m,
      /no clients yet: see redmint client add --help/,
      /^bad +malformed\n\n2 clients\.\nMalformed records: 1 of 2\. See redmint client lint\.$/m,
    ],
    [
      'user',
      'list_users',
      /^alice +sub-of-alice +active +set +2026-11-28 +name=Alice, email_verified=true, level=\{"a":1\}$/m,
      /no users yet: see redmint user add --help/,
      /^bad +malformed +disabled must be true or false$/m,
    ],
    [
      'resource',
      'list_resources',
      /^https:\S+ +Orders +a b +active$/m,
      /no resources yet/,
      /^bad +malformed$/m,
    ],
    [
      'issuer',
      'list_issuers',
      /^https:\S+ +workload +tenant=acme +active$/m,
      /no trusted issuers yet/,
      /^bad +malformed$/m,
    ],
    [
      'provider',
      'list_providers',
      /^google +Google +https:\S+ +active$/m,
      /no providers yet/,
      /^bad +malformed$/m,
    ],
  ] as const) {
    const id = { client: 'client_id', user: 'username' }[noun as string] ?? noun
    const items = [RECORDS[noun], { [id]: 'bad', ...MALFORMED }]
    const { code, stdout } = await run(`${noun} list`, { [list]: { items } })
    t.match({ code, stdout }, { code: 0, stdout: row }, noun)
    t.match(stdout, malformed, noun)
    const json = parsed<Record<string, object[]>>(await run(`${noun} list --json`, { [list]: { items } }))
    t.match(json[`${noun}s`], [{ [id]: Object(RECORDS[noun])[id] }, { problems: [{ field: 'disabled' }] }])
    t.match(await run(`${noun} list`, { [list]: { items: [] } }), { stdout: empty }, noun)
    const named = noun === 'issuer' ? 'trusted issuer' : noun
    t.match(stdout, `\n\n2 ${named}s.\n`, noun)
    const few = await run(`${noun} list --find shop`, { [list]: { items: items.slice(0, 1), of: 64 } })
    t.match(few.stdout, `\n\n1 of 64 ${named}s.\n`, noun)
    const nothing = await run(`${noun} list --find shop`, { [list]: { items: [], of: 1 } })
    t.match(nothing.stdout, `Nothing is found by this.\n\n0 of 1 ${named}.\n`, noun)
    const partly = await run(`${noun} list`, { [list]: { items, indexing: true } })
    t.match(partly.stdout, `redmint ${noun} reindex`, noun)
    const pages = [{ items: [RECORDS[noun]], next: 'more' }, { items: [RECORDS[noun]] }]
    t.strictSame(
      (await run(`${noun} list`, { [list]: () => pages.shift() ?? {} })).calls.filter(
        ([name]) => name === list,
      ),
      [
        [list, { limit: 200 }],
        [list, { limit: 200, cursor: 'more' }],
      ],
      'page by page',
    )
  }
  const off = { read_settings: { items: [{ name: 'trusted_issuers', value: 'false' }] } }
  t.match(await run('issuer list', { ...off, list_issuers: { items: [RECORDS.issuer] } }), {
    stdout: /\n\nTRUSTED_ISSUERS is not set here/,
  })
  const own = { ...RECORDS.client, registered_at: LATER, lapses_at: LATER }
  t.match(await run('client list', { list_clients: { items: [own] } }), {
    stdout: /active, registered itself, lapses 2026-11-29$/m,
  })
  for (const [more, state] of [
    [{ demo: true }, 'demo'],
    [{ disabled: true }, 'disabled'],
  ] as const) {
    t.match(await run('client list', { list_clients: { items: [{ ...RECORDS.client, ...more }] } }), {
      stdout: new RegExp(` ${state}$`, 'm'),
    })
    t.match(await run('user list', { list_users: { items: [{ ...RECORDS.user, ...more }] } }), {
      stdout: new RegExp(` ${state} `),
    })
  }
})

t.test('a time in a record is shown as one, and stays a number in JSON', async (t) => {
  const at = Date.parse('2026-11-28T10:00:00.000Z')
  const marks = {
    sessions_end_before: at,
    grants_end_before: at,
    session_kept: `${at} ${at + 1}`,
    access_ended: `${at}:web`,
  }
  for (const [noun, name, fields] of [
    ['user', 'alice', marks],
    ['client', 'shop', { grants_end_before: at, tokens_end_before: at }],
  ] as const) {
    const answer = { [`read_${noun}`]: { ...RECORDS[noun], ...fields } }
    const { stdout } = await run(`${noun} show ${name}`, answer)
    for (const field of Object.keys(fields))
      t.match(stdout, new RegExp(`^${field} +2026-11-28T10:00:00\\.000Z`, 'm'), field)
    t.notMatch(stdout, String(at), noun)
    t.match(parsed(await run(`${noun} show ${name} --json`, answer)), { grants_end_before: at })
  }
})

t.test('one record, its malformed form, and one that is not there', async (t) => {
  for (const [noun, name, rows, malformed] of [
    [
      'client',
      'shop',
      /^redirect_uris +https:\/\/shop.example\/cb\n +https:\/\/shop.example\/other$/m,
      /refuse the client/,
    ],
    ['user', 'alice', /^last sign-in +2026-11-28T10:00:00.000Z\nname +Alice$/m, /cannot sign in/],
    ['resource', 'https://api.example.com', /^scopes +a b$/m, /gets no tokens/],
    ['issuer', 'https://idp.example.com', /^conditions +tenant=acme$/m, /refuse its assertions/],
    ['provider', 'google', /^client_id +ours$/m, /nobody can sign in by it/],
  ] as const) {
    t.match(await run(`${noun} show ${name}`), { code: 0, stdout: rows }, noun)
    t.match(parsed(await run(`${noun} show ${name} --json`)), { problems: undefined })
    const bad = { [`read_${noun}`]: { ...RECORDS[noun], ...MALFORMED } }
    const shown = await run(`${noun} show ${name}`, bad)
    t.match(shown, { code: 1, stdout: malformed }, noun)
    t.match(shown.stdout, /^ {2}disabled must be true or false$/m)
    t.match(parsed(await run(`${noun} show ${name} --json`, bad)), {
      problems: [{ field: 'disabled', problem: 'must be true or false' }],
    })
    const missing = { [`read_${noun}`]: refusedBy('not_found', 'There is none.') }
    t.match(await run(`${noun} show ${name}`, missing), { code: 1, stdout: '', stderr: /^There is none/ })
    const odd = {
      [`read_${noun}`]: {
        ...RECORDS[noun],
        state: 'malformed',
        problems: [{ field: 'x', detail: `x ${CONTROL}` }],
      },
    }
    for (const flags of ['', ' --json']) {
      const { stdout } = await run(`${noun} show ${name}${flags}`, odd)
      t.notMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u, noun)
    }
  }
  t.match(await run('provider show google', { read_provider: refusedBy('not_found') }), {
    stderr: 'It is so: redmint provider list shows all.\n',
  })
  const older = {
    old_secret: 'set',
    registration_token: 'set',
    secret_used_at: LATER,
    old_secret_used_at: LATER,
  }
  const { stdout } = await run('client show shop', { read_client: { ...RECORDS.client, ...older } })
  for (const name of [
    'secret +set',
    'old_secret +set',
    'registration_token +set',
    `secret_used_at +${LATER}`,
  ])
    t.match(stdout, new RegExp(`^${name}$`, 'm'))
  t.match(stdout, new RegExp(`^old_secret_used_at +${LATER}$`, 'm'))
  t.notMatch((await run('client show shop')).stdout, /old_secret|registration_token|used_at|pairwise|pkce/)
  const profiled = { ...RECORDS.client, profile: 'fapi2', subject_type: 'pairwise' }
  t.match(parsed(await run('client show shop --json', { read_client: profiled })), {
    require_pkce: true,
    sector_identifier: 'shop.example',
    secret: 'set',
  })
})

t.test('a change says what was done, what is shown once, and what lint finds', async (t) => {
  const created = { ...RECORDS.client, client_secret: 'the-secret' }
  const lint_clients = () => ({
    checked: 1,
    items: [
      { client_id: 'shop', level: 'warning', field: 'refresh_tokens', detail: 'refresh_tokens is odd' },
    ],
  })
  const added = await run('client add shop', { create_client: created, lint_clients })
  t.match(added, { code: 0, stdout: /^The client is registered\.\n\nclient_id +shop\n/ })
  t.match(
    added.stdout,
    /^client_secret {2}the-secret\nThe secret is shown only once.*\n\nWarning: refresh_tokens is odd\.$/m,
  )
  t.match(parsed(await run('client add shop --json', { create_client: created, lint_clients })), {
    client_secret: 'the-secret',
    warnings: ['refresh_tokens is odd'],
  })
  const unread = { create_client: created, lint_clients: refusedBy('missing_scope', 'Not you.') }
  t.match(await run('client add shop', unread), {
    code: 0,
    stdout: /client_secret {2}the-secret[\s\S]*Warning: the record was not checked: Not you\.$/m,
  })
  t.notMatch((await run('client add shop')).stdout, /client_secret {2}|Warning/)
  t.match(await run('client update shop --name X'), { stdout: /^The client is changed\./ })
  t.match(await run('resource add https://api.example.com'), {
    stdout: /^The resource is registered\.\n\nresource/,
  })
  t.match(await run('resource disable https://api.example.com'), { stdout: /^The resource is disabled: / })
  t.match(await run('resource enable https://api.example.com'), { stdout: /^The resource is enabled\./ })
  t.match(await run('user add alice', { create_user: { ...RECORDS.user, warnings: ['It is shared.'] } }), {
    stdout: /^The user is stored\.\n\nusername[\s\S]*\nWarning: It is shared\.\n$/,
  })
  const { last_sign_in_at: _, ...stored } = RECORDS.user
  t.match(await run('user update alice --name Alice', { change_user: stored }, { stored }), {
    stdout: /^Nothing is changed/,
  })
  t.match(await run('user update alice --name B', {}, { stored: { ...RECORDS.user, state: 'x' } }), {
    stdout: /^The user is changed\./,
  })
  t.match(await run('issuer add --for github-actions --condition a=b'), {
    stdout: /--assertion-subject '[^']+' --scope …$/m,
  })
  const provider = await run('provider add google --client-id ours')
  t.match(
    provider.stdout,
    /redirect URI https:\/\/login.example.com\/sign-in\/google\/callback and the scopes openid profile email:/,
  )
  t.match(provider.stdout, /^Next: redmint provider secret google\nThen: redmint provider test google$/m)
  t.match(await run('provider update google --client-id y'), { stdout: /^Its secret was for another one: /m })
  t.notMatch((await run('provider update google --name G')).stdout, /secret was for/)
})

t.test('what a client, a user and a provider have besides their records', async (t) => {
  const rotated = { client_secret: 'new-secret', old_secret_ends_at: LATER }
  t.match(await run('client rotate-secret shop', { rotate_client_secret: { client_secret: 'new-secret' } }), {
    stdout:
      /^The client has a new secret; the old secret is no longer valid\.\n\nclient_secret {2}new-secret\n/,
  })
  t.match(
    await recorded(['client', 'rotate-secret', 'web app', '--keep', '1h'], {
      answers: { rotate_client_secret: rotated },
    }),
    {
      stdout: new RegExp(`valid until ${LATER}.*redmint client end-old-secret 'web app'\\n`),
    },
  )
  t.match(await run('client end-old-secret shop'), { stdout: /^The client has no old secret any more/ })
  t.match(await run('client disable shop'), { stdout: /refuse its codes and tokens until it is enabled/ })
  t.match(await run('client enable shop'), { stdout: /^The client is enabled/ })
  t.match(await run('client remove shop --yes', { delete_client: { ended: { grants: 2 } } }), {
    stdout: /^The client is removed\. .*2 sign-ins/,
  })
  const keys = [
    { kid: 'one', kty: 'EC', use: 'sig', algs: ['ES256'], is_secret: false },
    { kid: 'two', kty: 'oct', use: '', algs: [], is_secret: true },
    { kid: 'three', kty: 'RSA', use: 'enc', algs: [], is_secret: false },
  ]
  const shown = await run('client keys show shop', { read_client_keys: { keys, source: 'the record' } })
  t.match(
    shown.stdout,
    /^one +EC +sig +ES256\ntwo +oct +refused: .*\nthree +RSA +enc +none\n\n3 keys from the record\.$/m,
  )
  const invited = {
    ...{ id: 'x', invitation: 'INV', uses: 1, expires_at: LATER },
    registration_endpoint: 'https://r',
  }
  const invite = (client_registration: string) =>
    run('client invite', { create_invitation: { ...invited, client_registration } })
  t.match(await invite('invitation'), { stdout: /^invitation {2}INV\n\nIt registers 1 client until / })
  t.notMatch((await invite('invitation')).stdout, /is off here/)
  t.match(await invite('off'), { stdout: /CLIENT_REGISTRATION is off here/ })

  t.match(await run('user factors alice'), { stdout: /^The user has nothing besides a password/ })
  const factors = {
    totp: { created_at: LATER, limited: true },
    recovery_codes: { left: 2, created_at: LATER },
    passkeys: [
      { name: 'Phone', created_at: LATER, synced: true },
      { name: 'Key', created_at: LATER, last_used_at: LATER, synced: false },
    ],
  }
  const { stdout } = await run('user factors alice', { read_factors: factors })
  t.match(stdout, /^authenticator app +set up .*too many were wrong\nrecovery codes +2 left, made /)
  t.match(stdout, /^passkey +Phone, created .*, never used, synced\npasskey +Key, .*, last used [^,]*$/m)
  t.match(await run('user reset-factors alice --all'), { stdout: /^There was nothing to remove/ })
  const reset = { removed: ['totp', 'passkeys'], ended: 1 }
  t.match(await run('user reset-factors alice --all', { reset_factors: reset }), {
    stdout: /^Removed: the authenticator app and its recovery codes and the passkeys\. Ended: 1 session\./,
  })
  for (const flags of ['', ' --totp --all', ' --totp --passkeys'])
    t.match(await run(`user reset-factors alice${flags}`), { code: 2, stderr: /Give one of/, calls: [] })
  const ended = { ended: { sessions: 2, grants: 1 } }
  for (const [line, operation, sentence] of [
    ['user disable alice', 'disable_user', /^The user is disabled\. .*2 sessions/],
    ['user end alice', 'end_user', /^[^T].*2 sessions/],
    ['user remove alice --yes', 'delete_user', /^The user is removed\. .*2 sessions/],
  ] as const)
    t.match(await run(line, { [operation]: ended }), { code: 0, stdout: sentence }, line)
  t.match(await run('user enable alice'), { stdout: /^The user is enabled\./ })
  t.match(
    await run('user reset-link alice', {
      create_reset_link: { url: 'https://l', sets: 'passkey', expires_at: LATER },
    }),
    {
      stdout: /^https:\/\/l\n\nThe user makes a passkey with it, until /,
    },
  )
  t.match(await run('user reset-link alice'), { stdout: /chooses a new password/ })
  const sent = (mail: object | undefined) =>
    run('user invite --uses 2', {
      create_user_invitation: { id: 'x', url: 'https://j', expires_at: LATER, mail },
    })
  t.match(await sent(undefined), { code: 0, stdout: /^https:\/\/j\n\n2 people can make an account/ })
  t.match(await sent({ sent: true, answer: '250 ok' }), { code: 0, stdout: /took the mail: 250 ok/ })
  t.match(await sent({ sent: false, answer: '550 no' }), { code: 1, stdout: /was not sent: 550 no/ })
  t.match(await run('user invitations'), { stdout: /^There are no invitations/ })
  const invitation = { id: 'i', uses_left: 3, groups: ['a', 'b'], by: 'ada', expires_at: LATER }
  t.match(await run('user invitations', { list_user_invitations: { items: [invitation] } }), {
    stdout: /^i +3 +a,b +ada +2026-/m,
  })
  const checks = [{ about: 'secret', result: 'wrong', detail: 'It is refused.' }]
  t.match(await run('provider test google', { test_provider: { provider: 'google', checks } }), {
    code: 1,
    stdout: /^secret +wrong +It is refused\.$/m,
  })
  t.match(await run('provider test google'), { code: 0 })
})

t.test('where users are signed in, what applications may do, and rights', async (t) => {
  const session = {
    sid: 'one',
    started_at: LATER,
    last_used_at: LATER,
    ends_at: LATER,
    browser: 'Firefox',
    amr: ['pwd', 'otp'],
    clients: ['app'],
  }
  t.match(await run('user sessions alice', { list_sessions: { items: [session] } }), {
    stdout: /^SID +STARTED +LAST USED +BROWSER.*\none .* Firefox +pwd otp +app/,
  })
  t.match(await run('user sessions alice'), { stdout: /signed in nowhere/ })
  const grant = {
    grant: 'G',
    client_id: 'app',
    username: 'alice',
    scope: 'api.read',
    started_at: LATER,
    ends_at: LATER,
  }
  for (const [line, operation] of [
    ['user grants alice', 'list_grants_of_user'],
    ['grant list --client app', 'list_grants_of_client'],
    ['token list --user alice', 'list_grants_of_user'],
  ] as const)
    t.match(
      await run(line, { [operation]: { items: [grant] } }),
      { stdout: /^G +(app|alice) +api\.read /m },
      line,
    )
  t.match(await run('session end alice --all', { end_sessions: { ended: 2 } }), {
    stdout: /^Ended: 2 sessions/,
  })
  t.match(await run('grant end --user alice', { end_grants_of_user: { ended: 1 } }), {
    stdout: /^Ended: 1 grant\./,
  })
  t.match(await run('session end-all --yes'), { stdout: /^All sessions of all users are ended/ })
  for (const line of [
    'session end alice',
    'session end alice one --all',
    'grant list',
    'grant end',
    'grant list --user a --client b',
    'grant end x --user a',
  ])
    t.match(await run(line), { code: 2, calls: [] }, line)
  t.match(await run('admin grant alice', { change_user: { ...RECORDS.user, admin: ['redmint:read'] } }), {
    stdout: /^The user "alice" may now do by the admin API: redmint:read\./,
  })
  t.match(await run('admin revoke alice'), { stdout: /: nothing\./ })
  t.match(await run('admin list'), { stdout: /^No user may use the admin API yet/ })
  t.match(
    await run('admin list', { list_users: { items: [{ ...RECORDS.user, admin: ['redmint:read'] }] } }),
    {
      stdout: /^alice +active +redmint:read$/m,
    },
  )
  t.match(await run('admin grant alice --scope redmint:red'), {
    code: 2,
    stderr: /redmint:red is none of redmint:read/,
  })
})

t.test('keys, limits, mail, settings, tokens and the audit trail', async (t) => {
  t.match(await run('keys list'), { code: 0, stdout: /no signing keys yet/ })
  const key = {
    kid: 'K',
    alg: 'ES256',
    status: 'current',
    created_at: LATER,
    usable_at: LATER,
    public_jwk: { kty: 'EC' },
    wrapped: true,
  }
  const keys = await run('keys list --json', { list_keys: { items: [key] } })
  t.strictSame(
    parsed<{ keys: object[] }>(keys).keys.map((one) => 'public_jwk' in one),
    [false],
  )
  t.match(await run('keys rotate', { rotate_keys: { items: [key] } }), {
    stdout: /^The keys are rotated[\s\S]*\nKID +ALG +STATUS[\s\S]*\nK +ES256 +current/,
  })
  t.match(await run('keys rotate', { rotate_keys: refusedBy('misconfigured', 'Set the key.') }), {
    code: 2,
    stderr: 'Set the key.\n',
  })
  t.match(await run('keys list', { list_keys: new StoredKeyError('The signing key odd is malformed.') }), {
    code: 1,
    stderr: 'The signing key odd is malformed.\n',
  })
  t.match(await run('limits'), { stdout: /^Nobody is locked out/ })
  const limit = {
    id: 'l',
    kind: 'user',
    counter: 'sign_in_user',
    username: 'alice',
    address: '203.0.113.7',
    until: LATER,
  }
  t.match(await run('limits', { list_limits: { items: [limit] } }), {
    stdout: /^l +user +alice at 203.0.113.7 +sign_in_user +2026-/m,
  })
  t.match(await run('limits lift l', { lift_limit: limit }), {
    stdout: /^Lifted: sign_in_user of alice at 203/,
  })
  t.match(await run('user unlock alice', { unlock_user: { items: [limit] } }), {
    stdout: /^Lifted: .*\. Failures of the user/,
  })
  t.match(await run('user unlock alice'), { stdout: /^The user was not locked out/ })
  t.match(await run('mail retry', { retry_mails: { retried: 2 } }), { stdout: '2 mails are tried again.\n' })
  t.match(await run('mail retry', { retry_mails: { retried: 0 } }), { stdout: /^No mail waits/ })
  t.match(await run('mail test a@b.example', { test_mail: { sent: true, answer: '250 ok' } }), {
    code: 0,
    stdout: /250 ok/,
  })
  t.match(await run('mail test a@b.example', { test_mail: { sent: false, answer: '550 no' } }), {
    code: 1,
    stdout: /550 no/,
  })
  const stream = {
    client_id: 'payroll',
    stream_id: 's',
    status: 'paused',
    reason: 'The endpoint took nothing for hours.',
    delivery: 'push',
    events: ['session-revoked', 'credential-change'],
    ...{ waiting: 7, failures: 20, removed_subjects: 0, waiting_since: LATER, created_at: LATER },
  }
  t.match(await run('stream list'), { stdout: /^No client has a stream/ })
  const off = 'Nobody is told of security events: set SHARED_SIGNALS=on.'
  t.match(await run('stream list', { list_streams: { items: [], off } }), { stdout: `${off}\n` })
  t.match(await run('stream list', { list_streams: { items: [stream] } }), {
    stdout: /^payroll +paused +push +7 +2026-\S+ \(.*?\) +20\n\n1 stream\.$/m,
  })
  t.match(await run('stream show payroll', { read_stream: stream }), {
    stdout: /^reason +The endpoint took nothing for hours\.\n.*^events +session-revoked credential-change$/ms,
  })
  t.match(await run('stream resume payroll', { resume_stream: { ...stream, status: 'enabled' } }), {
    stdout: 'The stream of payroll is enabled: 7 events will be delivered.\n',
  })
  t.match(await run('stream remove payroll', { delete_stream: { ...stream, waiting: 1 } }), {
    stdout: 'The stream of payroll is removed, with 1 event.\n',
  })
  const entry = {
    at: LATER,
    event: 'client_changed',
    actor: { kind: 'operator', via: 'api', username: 'ada' },
    targets: [{ kind: 'client', id: 'shop' }],
    context: { address: '203.0.113.7' },
  }
  t.match(await run('audit tail', { list_events: { items: [entry] } }), {
    stdout: /client_changed +ada \(api\) +client shop +203/,
  })
  t.match(await run('audit search', { list_events: { items: [entry], next: 'N' } }), {
    stdout: /add --cursor N$/m,
  })
  t.match(await run('audit tail'), { stdout: /^There are no such entries/ })
  const fault = (fault: string) => ({
    verify_events: {
      parts: [{ part: 'changes', entries: 2, unsealed: 0, head: 'H' }],
      faults: [{ fault, id: 'e' }],
    },
  })
  t.match(await run('audit verify', fault('changed')), { code: 1, stdout: /^The entry e was changed\.$/m })
  t.match(await run('audit verify', fault('block_missing')), {
    code: 1,
    stdout: /^The block of the chain e does not follow/m,
  })
  t.match(await run('audit verify', { verify_events: { parts: [], faults: [] } }), {
    code: 0,
    stdout: /^Nothing is missing or changed/,
  })
  t.match(await run('audit verify', { verify_events: refusedBy('conflict', 'No key.') }), {
    code: 2,
    stderr: 'No key.\n',
  })
})

t.test('what the directory says', async (t) => {
  const server = 'ldap.example:636'
  const entry = {
    dn: 'uid=alice',
    is_disabled: false,
    id: '1',
    username: 'alice',
    groups: ['a'],
    claims: { name: 'Alice' },
    linked_subject: 'urn:x#1',
    accounts: 'made',
    wrong: [],
  }
  const test = (answer: object) => run('directory test alice', { test_directory: { server, ...answer } })
  t.match(await run('directory test', { test_directory: { server } }), {
    code: 0,
    stdout: /^The directory at ldap.example:636 answers/,
  })
  t.match(await test({ wrong: { found: 'it is away', advice: 'Start it.' } }), {
    code: 1,
    stdout: 'It is away.\nStart it.\n',
  })
  t.match(await test({ entries: 'none' }), { code: 1, stdout: /finds no entry for this name/ })
  t.match(await test({ entries: 'several' }), {
    code: 1,
    stdout: /finds several entries, so that none counts/,
  })
  t.match(await test({ entries: 'one', entry }), {
    code: 0,
    stdout: /^name +Alice\ngroups +a\nlinked subject +urn:x#1\naccount here +none, the first/m,
  })
  const accounts = async (more: object) =>
    (await test({ entries: 'one', entry: { ...entry, ...more } })).stdout
  t.match(await accounts({ accounts: 'one', account: 'al' }), /^account here +al$/m)
  t.match(await accounts({ accounts: 'several' }), /^account here +several, so that none counts$/m)
  t.match(
    await accounts({ accounts: 'none', groups: undefined }),
    /^groups +are not read\n[\s\S]*^account here +none$/m,
  )
  const disabled = { ...entry, is_disabled: true, wrong: ['The directory disabled it.'] }
  t.match(await test({ entries: 'one', entry: disabled }), {
    code: 1,
    stdout: /^The directory disabled it\.\n\nentry +uid=alice\nstate +disabled$/m,
  })
  t.match(await run('directory test', { test_directory: refusedBy('conflict', 'There is none.') }), {
    code: 2,
    stderr: 'There is none.\n',
  })
})

t.test('a refusal says what to do, and its exit code is 1, or 2 for what was typed', async (t) => {
  for (const [line, operation, code, exit, stderr] of [
    ['client add shop', 'create_client', 'exists', 1, 'It is so: use redmint client update to change it.'],
    ['user add alice', 'create_user', 'exists', 1, 'It is so: use redmint user update to change it.'],
    [
      'resource add https://a.example',
      'create_resource',
      'exists',
      1,
      'It is so: use redmint resource update to change it.',
    ],
    [
      'issuer add https://a.example',
      'create_issuer',
      'exists',
      1,
      'It is so: use redmint issuer update to change it.',
    ],
    [
      'provider add google --client-id x',
      'create_provider',
      'exists',
      1,
      'It is so: use redmint provider update to change it.',
    ],
    ['client update shop --name X', 'change_client', 'stale', 1, 'It is so: repeat the command.'],
    [
      'resource update https://a.example --name X',
      'change_resource',
      'stale',
      1,
      'It is so: repeat the command.',
    ],
    ['client remove shop --yes', 'delete_client', 'not_found', 1, 'It is so.'],
    ['client disable shop', 'disable_client', 'lacks_right', 1, 'It is so.'],
    ['user enable alice', 'enable_user', 'unknown_path', 1, 'There is nothing of this name: It is so.'],
    ['explain x', 'read_explanation', 'invalid_request', 2, 'It is so.'],
  ] as const) {
    const answer = await run(line, { [operation]: refusedBy(code) })
    t.match(answer, { code: exit, stdout: '' }, line)
    t.equal(answer.stderr.trimEnd().replace(/\.\.$/, '.'), stderr, line)
  }
  const fields = [
    { field: 'logo_uri', detail: 'logo_uri is odd' },
    { field: 'client_name', detail: 'must be short' },
  ]
  t.match(await run('client add shop', { create_client: new AdminError('invalid_field', 'x', fields) }), {
    code: 1,
    stderr: 'nothing was written:\n  logo_uri is odd\n  client_name must be short\n',
  })
  for (const path of ['x?a=b&c=d', '$(echo$IFS.)', "it's;id", "'$(id)'", '~*[a]!']) {
    const url = `https://tool.example.net/${path}`
    const { stderr } = await recorded(['client', 'show', url], {
      answers: { read_client: refusedBy('not_found') },
    })
    const words = stderr.trim().split('client disable ')[1]
    t.equal(execFileSync('sh', ['-c', `printf '%s;' ${words}`], { encoding: 'utf8' }), `${url};`)
  }
})

t.test('what cannot be meant is refused before an operation is called', async (t) => {
  const nothing = 'There is nothing to change: give at least one flag'
  for (const [line, stderr, given] of [
    ['client update shop', nothing],
    ['user update alice', nothing],
    ['resource update https://a.example', nothing],
    ['provider update google', nothing],
    ['client add shop --public', 'A public client needs a redirect URI'],
    ['client add shop --origin https://a.example', '--origin needs --for'],
    ['client add shop --public --secret-stdin', 'cannot be used with'],
    ['client add shop --grant-type password', 'Allowed choices are authorization_code'],
    ['client add shop --access-token-format xml', 'Allowed choices are opaque, jwt'],
    ['client add shop --first-party yes', 'Allowed choices are true, false'],
    ['client update shop --scope a --clear-scopes', 'cannot be used with'],
    ['client update shop --public --confidential', 'cannot be used with'],
    ['client rotate-secret shop --keep 91d', 'at most 90d: 30m, 24h, 7d, or 0'],
    ['client rotate-secret shop --keep 24', '30m, 24h, 7d, or 0'],
    ['client rotate-secret shop --keep 1.5h', '30m, 24h, 7d, or 0'],
    ['client invite --uses 0', 'from 1 to 10000'],
    ['client invite --uses 10001', 'from 1 to 10000'],
    ['client invite --ttl 0m', 'at most 90d: 30m, 24h, 7d.'],
    ['client invite --ttl 91d', 'at most 90d: 30m, 24h, 7d.'],
    ['user list --inactive 90', 'Give a number of days: 90d'],
    ['user list --inactive 0d', 'Give a number of days: 90d'],
    ['user invite --uses 1001', 'from 1 to 1000'],
    ['user invite --days 91', 'from 1 to 90'],
    ['user add bob --claim email', 'name=value'],
    ['user add bob --claim sub=x', 'sub cannot be set as a claim'],
    ['user add bob --claim __proto__=x', '__proto__ is not a claim name'],
    ['user add bob --claim email_verified=yes', 'email_verified must be true or false'],
    ['user add bob --claim emails=x', 'did you mean email?'],
    ['user add bob --claims - --password-stdin', 'cannot both read stdin'],
    ['user add bob --claims /nowhere/at/all.json', 'ENOENT'],
    ['user add bob --name A --claim name=B', 'name is given twice'],
    ['user update bob --claim name=B --remove-claim name', 'choose one'],
    ['user update bob --remove-claim sub', 'is not a claim'],
    ['user update bob --remove-claim generation', 'is not a claim'],
    ['user add bob --password-stdin', 'A password is set on Redis only', { at_server: true }],
    ['issuer add', 'Give the URL of the issuer'],
    ['provider add acme --client-id x', 'Give its issuer: --issuer '],
    ['provider add google', 'with the redirect URI https://login.example.com/sign-in/google/callback'],
    ['provider secret google', 'give --secret-stdin'],
    ['audit tail --limit 201', 'It must be 1 to 200'],
    ['audit search --since soon', '--since must be a time'],
    ['explain', 'Give the id of a request, or --last'],
    ['explain x --last 5', 'Give the id of a request, or --last'],
    ['explain x --client a', '--client needs --last'],
    ['explain x --scope a', '--scope needs --user'],
    ['explain --user a', '--user needs --client'],
    ['explain x --user a --client b', 'give no id'],
    ['explain --last 101', 'It must be 1 to 100'],
  ] as const) {
    const answer = await run(line, {}, { input: '', ...given })
    t.match(answer, { code: 2, stdout: '', stderr }, line)
    t.strictSame(
      answer.calls.filter(([name]) => !/^read_/.test(name)),
      [],
      line,
    )
  }
  t.match(
    await run('client add shop --for machine --scope a', { read_settings: refusedBy('missing_scope') }),
    {
      code: 2,
      stderr: '--for needs the issuer of the server, which redmint:server:read lets one see.\n',
    },
  )
  for (const line of ['client add shop --redirect-uri', 'client update shop --post-logout-redirect-uri']) {
    const spaced = await recorded([...line.split(' '), 'https://a.example/ x'])
    t.match(spaced, { code: 1, stderr: /no white space/, calls: [] }, line)
  }
})
