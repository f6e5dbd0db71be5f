// Runs the commands of docs/testing/check-client.md and check-api.md, against the small relying party and API of the other tests.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { createCli } from '../../support/cli/run-cli.ts'
import { ApiWithFaults } from '../../support/dev/api.ts'
import { RelyingPartyWithFaults } from '../../support/dev/relying-party.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { freePort } from '../../support/process.ts'

const commandsOf = async (page: string) =>
  blocks(await readText(`docs/testing/${page}.md`), 'sh').map((line) => line.trim().split(' ').slice(2))

const port = await freePort()
const issuer = `http://localhost:${port}`
const party = new RelyingPartyWithFaults()
const site = await party.start()
party.issuer = issuer
const api = new ApiWithFaults()
const api_site = await api.start()
api.issuer = issuer
t.teardown(() => {
  party.close()
  api.close()
})

/** Runs a command as the page has it, at the addresses of this test. */
function run(words: readonly string[], ...more: string[]) {
  const at = (word: string) =>
    word.replace('http://localhost:8080', site).replace('http://localhost:8081', api_site)
  return createCli().redmint([...words.map(at), '--port', String(port), ...more])
}

t.test('the commands of the page about clients pass for a client without a fault', async (t) => {
  const [plain = [], files = []] = await commandsOf('check-client')
  const first = ['--only', 'pkce state-wrong alg-none']
  const passed = await run(plain, ...first)
  t.match(passed, {
    code: 0,
    stderr: '',
    stdout: /^3 checks of \S+: 3 passed, 0 failed, 0 advice, 0 skipped\.\n$/,
  })
  const folder = t.testdir()
  const named = files.map((word) => word.replace(/^client\./, `${folder}/client.`))
  t.equal((await run(named, ...first)).code, 0)
  t.match(await readFile(`${folder}/client.xml`, 'utf8'), /<testsuite .* tests="3" failures="0"/)
  t.match(JSON.parse(await readFile(`${folder}/client.sarif`, 'utf8')), { version: '2.1.0' })
})

t.test('a client with a fault fails, and the text says what to change', async (t) => {
  party.plant('state-wrong')
  const [plain = []] = await commandsOf('check-client')
  const { code, stdout } = await run(plain, '--only', 'state-wrong')
  t.equal(code, 1)
  t.match(stdout, /^FAILED {2}state-wrong: Refuses an answer with another state\.\n {2}The client signs in/)
  t.match(stdout, /What to change: .*\n {2}openid-client: .*expectedState/)
  const json = await run(plain, '--only', 'state-wrong', '--json')
  t.match(JSON.parse(json.stdout), { checks: [{ id: 'state-wrong', verdict: 'failed' }] })
  party.plant()
})

t.test('the ordinary sign-in that fails is said, and nothing else is tried', async (t) => {
  const [plain = []] = await commandsOf('check-client')
  const elsewhere = plain.map((word) => word.replace('/callback', '/another'))
  const { code, stdout } = await run(elsewhere, '--only', 'state-wrong')
  t.equal(code, 1)
  t.match(stdout, /^STOPPED\n {2}The issuer does not answer the request of the client: /)
  t.match(stdout, /0 checks of .*; the others were not run\.\n$/)
})

t.test('a page that everybody may see tells by a text who is signed in', async (t) => {
  const [plain = []] = await commandsOf('check-client')
  const first = ['--signed-in', `${site}/`, '--only', 'state-wrong code-wrong']
  const { code, stdout } = await run(plain, ...first)
  t.match({ code, stdout }, { code: 1, stdout: /or by --signed-in-text a text that it shows to nobody else/ })
  t.match(await run(plain, ...first, '--signed-in-text', 'Sign out'), { code: 0, stdout: /: 2 passed/ })
  party.plant('state-wrong')
  const found = await run(plain, ...first, '--signed-in-text', 'Sign out')
  t.match(found, { code: 1, stdout: /^FAILED {2}state-wrong/ })
  party.plant()
})

t.test('the command of the page about APIs passes for an API without a fault', async (t) => {
  const [plain = []] = await commandsOf('check-api')
  const { code, stdout } = await run(plain, '--only', 'no-token alg-none scope-missing audience-list')
  t.match({ code, stdout }, { code: 0, stdout: /^4 checks of \S+: 4 passed/ })
  api.faults = new Set(['alg-none'])
  t.match(await run(plain, '--only', 'alg-none'), { code: 1, stdout: /^FAILED {2}alg-none: / })
  api.faults = new Set()
})

t.test('wrong command lines are refused before anything starts', async (t) => {
  const { redmint } = createCli()
  const check = ['dev', 'check-client', 'http://localhost:1/']
  t.match(await redmint([...check, '--only', 'nothing']), { code: 2, stderr: /There is no check nothing: / })
  t.match(await redmint(['dev', 'check-client', 'here']), { code: 2, stderr: /here is no address/ })
  t.match(await redmint([...check, '--client', 'shop']), { code: 2, stderr: /--redirect-uri/ })
  t.match(await redmint([...check, '--seed', 'a.yaml', '--redirect-uri', 'http://localhost/cb']), { code: 2 })
  t.match(await redmint(['dev', 'check-api', 'http://localhost:1/', '--method', 'G T']), { code: 2 })
})
