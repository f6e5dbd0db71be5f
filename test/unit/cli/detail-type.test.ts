import t from 'tap'
import { createCli } from '../../support/cli/run-cli.ts'

const SCHEMA = 'test/support/payment.json'
const environment = { REDIS_URL: 'redis://127.0.0.1:1', ISSUER: 'https://auth.example.com' }

t.test('a type of details is added, shown, changed and removed', async (t) => {
  const { redmint } = createCli({ environment })
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await redmint(['detail-type', ...args, '--json'])
    return { code, json: code === 0 ? JSON.parse(stdout) : stderr }
  }
  const parts = [
    '--schema',
    SCHEMA,
    '--text',
    'en=Pay {amount} to {creditor}',
    '--text',
    'de={amount} zahlen',
  ]
  t.match(await run('add', 'payment', ...parts), {
    code: 0,
    json: { detail_type: 'payment', state: 'active', remember: false, pushed: false },
  })
  t.match(await run('add', 'payment', ...parts), { code: 1, json: /redmint detail-type set/ })
  const { json } = await run('set', 'payment', '--text', 'fr=Payer {amount}', '--pushed', 'true')
  t.strictSame(JSON.parse(json.text), {
    en: 'Pay {amount} to {creditor}',
    de: '{amount} zahlen',
    fr: 'Payer {amount}',
  })
  t.equal(json.pushed, true)
  t.match(await run('list'), { json: { detail_types: [{ detail_type: 'payment', state: 'active' }] } })
  t.match(await redmint(['detail-type', 'list']), {
    stdout: /payment +Pay \{amount\} to \{creditor\} +active/,
  })
  t.match(await run('disable', 'payment'), { json: { state: 'disabled' } })
  t.match(await run('enable', 'payment'), { json: { state: 'active' } })
  t.match(await run('lint'), { code: 0, json: { detail_types: 1, errors: 0, warnings: 0 } })
  t.match(await run('remove', 'payment', '--yes'), { json: { removed: true } })
  t.match(await run('show', 'payment'), { code: 1 })
})

t.test('what cannot be a type of details is refused', async (t) => {
  const { redmint } = createCli({ environment })
  const text = ['--text', 'en=Pay {amount}']
  for (const [args, problem] of [
    [['payment', ...text], /--schema FILE/],
    [['payment', '--schema', SCHEMA], /--text LANGUAGE=SENTENCE/],
    [['payment', '--schema', 'no-such-file.json', ...text], /cannot be read/],
    [['payment', '--schema', 'README.md', ...text], /is not JSON/],
    [['payment', '--schema', 'package.json', ...text], /must have a type/],
    [['payment', '--schema', SCHEMA, '--text', 'Pay'], /LANGUAGE=SENTENCE/],
    [['payment', '--schema', SCHEMA, '--text', 'en=Pay {purpose}'], /no required member/],
    [['a type', '--schema', SCHEMA, ...text], /is not a type of 1 to 128/],
  ] as const) {
    const { code, stderr } = await redmint(['detail-type', 'add', ...args])
    t.not(code, 0)
    t.match(stderr, problem, args.join(' '))
  }
  t.match(await redmint(['detail-type', 'list']), { stdout: /no types of details yet/ })
})

t.test('lint says what is wrong with a record that was written by hand', async (t) => {
  const { redmint, storage } = createCli({ environment })
  const put = (id: string, hash: Record<string, string>) =>
    storage.records.put({ kind: { name: 'detail-type', listed: true }, id, hash })
  const schema = '{"type":"object","properties":{}}'
  await put('odd', { schema: '{}', text: '{"en":"x"}' })
  await put('other', { schema, text: '{"fr":"Oui"}', colour: 'red' })
  const { code, stdout } = await redmint(['detail-type', 'lint'])
  t.equal(code, 1)
  t.match(stdout, /odd +schema must have a type/)
  t.match(stdout, /other +text has no sentence in English/)
  t.match(stdout, /other +colour is not a known field/)
})

t.test('lint of clients names types that there are none of', async (t) => {
  const { redmint } = createCli({ environment })
  const app = ['--redirect-uri', 'https://a.example.com/cb', '--scope', 'openid']
  t.match(await redmint(['client', 'add', 'shop', ...app, '--detail-type', 'payment']), { code: 0 })
  t.match(await redmint(['client', 'lint', 'shop']), {
    stdout: /authorization_details_types: there is no type payment: redmint detail-type add payment/,
  })
  await redmint(['detail-type', 'add', 'payment', '--schema', SCHEMA, '--text', 'en=Pay {amount}'])
  t.match(await redmint(['client', 'lint', 'shop']), { stdout: '1 client: 0 errors, 0 warnings.' })
})
