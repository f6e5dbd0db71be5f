// client add --for: the records and settings of each framework, by the commands of the pages in docs/connect/.
import { readdir } from 'node:fs/promises'
import t from 'tap'
import { markOf } from '../../../scripts/docs/page.ts'
import type { SettingsFile } from '../../../src/admin/connect/preset.ts'
import { PRESETS, type PresetName } from '../../../src/admin/connect/presets.ts'
import { settingsOf } from '../../../src/admin/connect/settings.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { createCli, parsed } from '../../support/cli/run-cli.ts'
import { blocks, readText, section, tableRows } from '../../support/markdown.ts'
import { readClient } from '../../support/records.ts'
import { issuerKey, keySetOf } from '../../support/trusted-issuer.ts'

const NAMES = Object.keys(PRESETS) as PresetName[]
const environment = { REDIS_URL: 'redis://127.0.0.1:1', ISSUER: 'https://auth.example.com' }
/** Occurs in no settings. */
const NO_SECRET = '-'.repeat(43)
/** A secret of its own sessions. */
const RANDOM = /(?<=")[\w-]{43}(?=")/
const ORIGIN = ['--origin', 'https://app.example.com']

interface Added {
  client_secret?: string
  settings: SettingsFile[]
}

for (const name of NAMES) {
  t.test(`${name}: the command of its page makes a clean record, and settings with the secret`, async (t) => {
    const page = await readText(`docs/connect/${name}.md`)
    const args = wordsOf((blocks(page, 'sh')[0] ?? '').trim()).slice(1)
    t.match(args, ['client', 'add', /^[a-z-]+$/, '--for', name])
    t.match(page, markOf('settings'))
    const { storage, redmint } = createCli({ environment })
    const { settings, client_secret } = parsed<Added>(await redmint([...args, '--json']))
    t.match(await redmint(['client', 'lint', args[2] ?? '']), { code: 0, stdout: /0 errors, 0 warnings/ })
    const { is_public } = (await readClient(storage, args[2] ?? '')) ?? {}
    t.equal(client_secret === undefined, is_public === 'true')
    const texts = settings.map(({ text }) => text)
    if (client_secret !== undefined) t.ok(texts.join('').includes(client_secret))
    t.notMatch(JSON.stringify(settings), '{{', 'no placeholder is left')
    t.notMatch(texts.join(''), /<(the |client_secret>|session_secret>)/, 'nothing is left to fill in')

    const { stdout } = await createCli({ environment }).redmint(args)
    const secret = /^client_secret {2}(.*)$/m.exec(stdout)?.[1] ?? NO_SECRET
    for (const text of texts) {
      const printed = text.replaceAll(client_secret ?? NO_SECRET, secret).split(RANDOM)
      t.ok(
        printed.every((part) => stdout.includes(part.trimEnd())),
        'printed as text',
      )
    }
  })

  t.test(`${name}: no value ends a string of a file`, (t) => {
    const connected = { issuer: 'https://auth.example.com', client_secret: 'secret', origin: undefined }
    const good = { client_id: 'a', is_public: false, redirect_uris: ['a.b:/'], allowed_scopes: ['a'] }
    for (const character of ['"', "'", '\\', '$', '`', '\n', '\r', '\t', ' ']) {
      const bad = `a${character}b`
      for (const value of [{ client_id: bad }, { redirect_uris: [bad] }, { allowed_scopes: ['a', bad] }]) {
        t.throws(() => settingsOf(name, { ...connected, client: { ...good, ...value } }), {
          message: /cannot be pasted/,
        })
      }
    }
    t.end()
  })
}

t.test('docs/connect/ has a page for each preset, and its index too', async (t) => {
  const pages = (await readdir('docs/connect')).map((file) => file.replace('.md', ''))
  t.same(pages.sort(), [...NAMES, 'README'].sort())
  const rows = tableRows(await readText('docs/connect/README.md')).slice(1)
  t.same(rows.map(([, name]) => name).sort(), NAMES.map((name) => `\`${name}\``).sort())
  for (const [link = '', code = '', ran] of rows) {
    const name = code.replaceAll('`', '')
    t.match(link, `](${name}.md)`)
    t.equal(ran, whatRan(section(await readText(`docs/connect/${name}.md`), 'Tried with')), name)
  }
})

/** The cell of the index for a section "Tried with". */
function whatRan(tried: string): string {
  if (!/npm (run\s)?test/.test(tried)) return tried.includes('by hand') ? 'by hand' : 'no'
  return tried.includes('did not run') ? 'its settings' : 'yes'
}

t.test('an API that acts is named in its record, beside others', async (t) => {
  const { storage, redmint } = createCli({ environment })
  const api = 'https://orders.example.com'
  const add = (client_id: string, ...more: string[]) =>
    redmint(['client', 'add', client_id, '--for', 'acting-api', '--origin', api, ...more])
  const record = async () => (await storage.records.read(RESOURCE, api))?.hash
  t.match(await add('orders-api'), { code: 2, stderr: /needs the scopes of its access tokens/ })
  t.match(await redmint(['client', 'add', 'x', '--for', 'acting-api', '--scope', 'a']), {
    ...{ code: 2, stderr: /needs the address of the API/ },
  })
  t.match(await add('orders-api', '--scope', 'invoices.read', '--auth-method', 'nonsense'), { code: 2 })
  t.equal(await record(), undefined, 'nothing is written for a client that is refused')
  const added = await add('orders-api', '--scope', 'invoices.read')
  t.match(added.stdout, `orders-api may act with the tokens of ${api}.`)
  t.match(await record(), { acting_clients: 'orders-api', scopes: 'invoices.read' })
  await redmint(['resource', 'update', api, '--scope', 'orders.read'])
  t.match(parsed(await add('second', '--scope', 'a', '--json')), { acts_at: api, exchange_mode: 'delegate' })
  t.match(await record(), { acting_clients: 'orders-api second', scopes: 'orders.read' }, 'the rest stays')
  t.match(await redmint(['resource', 'lint']), { stdout: /0 errors, 0 warnings/ })
  t.match(await add('second', '--scope', 'a'), { code: 1 })
})

t.test('a value that looks like a placeholder stays as it is', (t) => {
  const client = {
    client_id: '{{client_secret}}',
    is_public: false,
    redirect_uris: ['a.b:/'],
    allowed_scopes: ['a'],
  }
  const issuer = 'https://auth.example.com'
  const files = settingsOf('go', { issuer, client, client_secret: 's', origin: undefined })
  t.match(files.find(({ file }) => file === '.env')?.text, 'CLIENT_ID="{{client_secret}}"')
  t.end()
})

t.test(
  'settings have a secret of sessions, another one each time, and the port of the address',
  async (t) => {
    const { redmint } = createCli({ environment })
    const added = async (client_id: string, origin: string, name = 'express') => {
      const { settings } = parsed<Added>(
        await redmint(['client', 'add', client_id, '--for', name, '--origin', origin, '--json']),
      )
      return settings
    }
    const [first, second, behind] = [
      await added('one', 'http://localhost:25100'),
      await added('two', 'http://localhost'),
      await added('three', 'https://app.example.com'),
    ].map((files) => files.find(({ file }) => file === '.env')?.text ?? '')
    const secretIn = (text = '') => /^SECRET="([\w-]{43})"$/m.exec(text)?.[1]
    t.ok(secretIn(first))
    t.not(secretIn(first), secretIn(second))
    t.match([first, second, behind], [/^PORT=25100$/m, /^PORT=80$/m, /^PORT=3001$/m])
    t.match((await added('four', 'http://127.0.0.1:5005', 'flask'))[2]?.run, /^flask run .*--port 5005$/)
  },
)

t.test('an address of this machine counts by both of its names, and by no other', async (t) => {
  const { storage, redmint } = createCli({ environment })
  const fieldsFor = async (client_id: string, origin: string) => {
    t.match(await redmint(['client', 'add', client_id, '--for', 'django', '--origin', origin]), { code: 0 })
    t.match(await redmint(['client', 'lint', client_id]), { code: 0, stdout: /0 errors/ })
    const { redirect_uris, post_logout_redirect_uris } = (await readClient(storage, client_id)) ?? {}
    return [redirect_uris, post_logout_redirect_uris]
  }
  const here = 'http://localhost:8000'
  const there = 'http://127.0.0.1:8000'
  t.same(await fieldsFor('one', here), [
    `${here}/oidc/callback/ ${there}/oidc/callback/`,
    `${here}/ ${there}/`,
  ])
  t.same(await fieldsFor('two', there), [
    `${there}/oidc/callback/ ${here}/oidc/callback/`,
    `${there}/ ${here}/`,
  ])
  t.same(await fieldsFor('three', 'https://localhost.example.com'), [
    'https://localhost.example.com/oidc/callback/',
    'https://localhost.example.com/',
  ])
})

t.test('the address of redmint itself is no address of an application', async (t) => {
  const local = { ...environment, ISSUER: 'http://localhost:3000' }
  const { storage, redmint } = createCli({ environment: local })
  for (const origin of ['http://localhost:3000', 'http://127.0.0.1:3000']) {
    const refused = await redmint(['client', 'add', 'app', '--for', 'nextjs', '--origin', origin])
    t.match(refused, { code: 1, stderr: /is the address of redmint itself/ })
    t.notOk(await readClient(storage, 'app'))
  }
  const below = { ...environment, ISSUER: 'https://example.com/auth' }
  const add = ['client', 'add', 'app', '--for', 'nextjs', '--origin', 'https://example.com']
  t.match(await createCli({ environment: below }).redmint(add), { code: 0 }, 'the rest of the host is free')
})

t.test('flags of single fields win over the preset', async (t) => {
  const { storage, redmint } = createCli({ environment })
  const given = [
    ['--redirect-uri', 'https://app.example.com/auth'],
    ['--scope', 'openid api.read'],
    ['--scope-claims-in-id-token', 'false'],
    ['--require-pkce', 'false'],
    ['--name', 'The shop'],
  ].flat()
  const add = ['client', 'add', 'shop', '--for', 'express', ...ORIGIN, ...given]
  const { code, stdout } = await redmint(add)
  t.equal(code, 0)
  t.match(stdout, 'scope: "openid api.read"')
  t.match(await readClient(storage, 'shop'), {
    client_name: 'The shop',
    redirect_uris: 'https://app.example.com/auth',
    allowed_scopes: 'openid api.read',
    // No offline_access is left, so it gets no refresh tokens.
    grant_types: 'authorization_code',
    refresh_tokens: 'never',
    scope_claims_in_id_token: 'false',
    require_pkce: 'false',
    post_logout_redirect_uris: 'https://app.example.com https://app.example.com/',
  })
  t.match(await redmint(['client', 'lint']), { stdout: /0 errors, 0 warnings/ })
})

t.test('an app returns to its redirect URI after the sign-out, too', async (t) => {
  const { storage, redmint } = createCli({ environment })
  for (const name of ['ios', 'android']) {
    await redmint(['client', 'add', name, '--for', name, '--redirect-uri', 'com.example.app:/back'])
    t.match(await readClient(storage, name), { post_logout_redirect_uris: 'com.example.app:/back' })
  }
})

t.test('a secret from stdin is not printed', async (t) => {
  const { redmint } = createCli({ environment })
  const secret = 'a-secret-of-more-than-32-characters-in-all'
  const api = ['--origin', 'https://orders.example.com']
  const add = ['client', 'add', 'api', '--for', 'spring-api', ...api, '--secret-stdin']
  const { stdout } = await redmint(add, secret)
  t.match(stdout, 'client-secret: "<client_secret>"')
  t.notMatch(stdout, secret)
})

const REFUSED: [args: string[], problem: RegExp][] = [
  [['--for', 'expres', ...ORIGIN], /Did you mean express\? The names are nextjs, express, /],
  [['--for', 'cobol', ...ORIGIN], /is invalid\. The names are nextjs, /],
  [['--for', 'go'], /needs the address of the application: --origin https/],
  [
    ['--for', 'go', '--origin', 'https://app.example.com/path'],
    /the address of the application without a path/,
  ],
  [['--for', 'go', '--origin', 'app.example.com'], /such as https:\/\/app\.example\.com/],
  [['--for', 'go', '--origin', 'http://app.example.com'], /is http on a host that is not loopback/],
  [['--for', 'ios'], /--redirect-uri com\.example\.app:/],
  [['--for', 'ios', ...ORIGIN], /has no use for --origin/],
  [['--for', 'spring-api'], /needs the address of the API/],
  [['--for', 'mcp'], /--scope "api\.read api\.write"/],
  [['--for', 'machine'], /--scope "api\.read api\.write"/],
  [['--for', 'react', ...ORIGIN, '--secret-stdin'], /public client, which has no secret/],
  [['--for', 'go', ...ORIGIN, '--public'], /omit --public/],
  [['--for', 'go', ...ORIGIN, '--scope', "openid it's"], /"it's" cannot be pasted into settings/],
  [ORIGIN, /--origin needs --for/],
]

t.test('what a preset cannot use is refused in words, and nothing is written', async (t) => {
  const { storage, redmint } = createCli({ environment })
  for (const [args, problem] of REFUSED) {
    const { code, stderr } = await redmint(['client', 'add', 'app', ...args], 'x'.repeat(40))
    t.match(stderr, problem, args.join(' '))
    t.ok(code === 1 || code === 2)
    t.notOk(await readClient(storage, 'app'))
  }
})

t.test('the pages name the versions that npm run test:foreign installs', async (t) => {
  const folder = 'test/foreign'
  const poms = ['boot3', 'boot4', 'nimbus'].map((name) => `hosts/java/${name}/pom.xml`)
  const files = [
    'package-lock.json',
    'requirements.txt',
    'newest.txt',
    'hosts/go/go.mod',
    'hosts/nginx/go.mod',
    'hosts/kubernetes/go.mod',
    ...poms,
  ]
  const installed = (await Promise.all(files.map((name) => readText(`${folder}/${name}`)))).join('')
  for (const name of NAMES) {
    const tried = section(await readText(`docs/connect/${name}.md`), 'Tried with')
    t.match(tried, /\.\n$/, name)
    for (const sentence of tried.split(/\.\s/).filter((text) => text.includes('test:foreign'))) {
      const versions = sentence.match(/\d+(\.\d+)+/g) ?? []
      if (whatRan(tried) === 'yes') t.ok(versions.length > 0, name)
      for (const version of versions) t.match(installed, version, `${name}: ${version}`)
    }
  }
})

/** What a shell would put in place of words of the docs. */
const VARIABLES = new Map([['$JWKS', keySetOf(issuerKey('key', 'RS256'))]])

t.test('every client add in the docs makes what lint accepts', async (t) => {
  // What some of the pages say to set first.
  const { redmint } = createCli({
    environment: { ...environment, CLIENT_CERTIFICATE_SECRET: 's'.repeat(40), TRUSTED_PROXIES: '10.0.0.1' },
  })
  t.match(await redmint(['user', 'add', 'ada', '--claim', 'groups=["staff"]']), { code: 0 })
  const elsewhere = ['application', 'add', 'https://auth.chat.example', '--client', 'agent=agent-there']
  t.match(await redmint(elsewhere), { code: 0 })
  const pages = ['README.md', 'deploy/README.md', ...(await readdir('docs')).map((page) => `docs/${page}`)]
  let added = 0
  for (const page of pages.filter((page) => page.endsWith('.md'))) {
    const text = await readText(page)
    const shells = [...blocks(text, 'sh'), ...blocks(text, 'console')]
    const lines = shells.flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    for (const line of lines) {
      const [, command] =
        /^(?:\$ )?(?:docker .*)?redmint ((?:client|issuer) add [^|&;]*)$/.exec(line.trim()) ?? []
      const args = wordsOf(command ?? '').map((word) => VARIABLES.get(word) ?? word)
      // The shell replaces what is behind a dollar.
      if (command === undefined || args.some((word) => word.includes('$'))) continue
      const { code, stderr } = await redmint(args, 's'.repeat(40))
      t.match(stderr, code === 0 ? '' : /(exists|is trusted) already/, `${page}: ${line}`)
      if (args[0] !== 'client' || code !== 0) continue
      added += 1
      const { stdout } = await redmint(['client', 'lint', args[2] ?? ''])
      t.match(stdout, /0 errors, 0 warnings/, `${page}: ${line}\n${stdout}`)
      // The rule of one for its people is none for those of other pages.
      await redmint(['client', 'remove', args[2] ?? '', '--yes'])
    }
  }
  t.ok(added > 10, `${added}`)
})

/** Splits a command as a shell does, for words and simple quotes. */
function wordsOf(command: string): string[] {
  const words = command.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? []
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'))
}
