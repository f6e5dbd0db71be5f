// `redmint dev` as its page shows it, and that no server has any of it.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { bundle } from '../../../scripts/bundle.ts'
import { blocks, readText } from '../../support/markdown.ts'
import { exported, nodeArgs, ROOT, run } from '../../support/process.ts'

const PAGE = await readText('docs/dev.md')
const [SEED = ''] = blocks(PAGE, 'yaml')

t.test('it prints what scripts read, has the seed of the page, and ends at SIGTERM', async (t) => {
  const folder = t.testdir({ 'redmint.dev.yaml': SEED })
  const dev = run(t, process.execPath, [...nodeArgs('cli.ts'), 'dev', '--port', '0', '--json'], {}, folder)
  t.ok(await dev.prints(/\n/), dev.stderr)
  const { issuer, control, token } = JSON.parse(dev.stdout)
  t.equal(control, `${issuer}/dev/`)
  t.ok(token)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'shop',
    redirect_uri: 'http://localhost:8000/callback',
    scope: 'orders.read',
    resource: 'https://orders.test',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    subject: 'bob',
  })
  const answer = await fetch(`${issuer}/oauth2/authorize?${query}`, { redirect: 'manual' })
  t.match(answer.headers.get('location'), /^http:\/\/localhost:8000\/callback\?code=/)
  t.same(await dev.stop(), { code: 0, signal: null })
})

t.test('it prints commands for people, and what a framework needs', async (t) => {
  const args = [...nodeArgs('cli.ts'), 'dev', '--port', '0', '--for', 'express']
  const dev = run(t, process.execPath, args, {}, t.testdir({}))
  t.ok(await dev.prints(/docs\/dev\.md\ncurl .*\n$/), dev.stderr)
  t.match(dev.stdout, /^redmint dev: http:\/\/localhost:\d+\nDemo mode is on: /)
  t.match(dev.stdout, /Settings for /)
})

t.test('what it cannot start with is said, with exit code 2', async (t) => {
  for (const [args, environment, problem] of [
    [['--host', 'auth.example.com'], {}, /neither on loopback/],
    [[], { NODE_ENV: 'production' }, /NODE_ENV is production/],
    [['--port', 'x'], {}, /A port is a number/],
    [['--seed', 'missing.yaml'], {}, /missing\.yaml cannot be read/],
  ] as const) {
    const dev = run(t, process.execPath, [...nodeArgs('cli.ts'), 'dev', ...args], environment, t.testdir({}))
    t.match(await dev.ended, { code: 2 }, dev.stderr)
    t.match(dev.stderr, problem)
  }
})

t.test('the test of the page runs', async (t) => {
  const [code = ''] = blocks(PAGE, 'js').filter((one) => one.includes('startRedmint'))
  const folder = t.testdir({})
  const file = join(folder, 'page.mjs')
  await writeFile(file, code.replace("'redmint/testing'", JSON.stringify(exported('testing'))))
  const args = exported('testing').endsWith('.ts') ? [`--import=${ROOT}scripts/typescript.mjs`, file] : [file]
  const program = run(t, process.execPath, args, {}, folder)
  t.match(await program.ended, { code: 0 }, program.stderr)
})

t.test(
  'D2: no server loads any of it, and an installation for production has none of its files',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'redmint-bundle-'))
    t.teardown(() => rm(folder, { recursive: true }))
    const ofDev = (inputs: readonly string[]) => inputs.filter((path) => path.startsWith('dev/'))
    const bundled = await bundle(join(folder, 'all'), 'import.meta.url')
    const seen = new Set<string>()
    const walk = (name: string) => {
      const file = bundled.get(name)
      if (file === undefined || seen.has(name)) return
      seen.add(name)
      t.strictSame(ofDev(file.inputs), [], `${name} is loaded by the server`)
      for (const path of file.imports) walk(path)
    }
    walk('server.js')
    t.ok(seen.size > 10)
    t.ok([...bundled.values()].some(({ inputs }) => ofDev(inputs).length > 0))
    t.ok(bundled.has('testing.js'))

    const without = join(folder, 'without')
    const production = await bundle(without, 'import.meta.url', false)
    for (const [path, { inputs }] of production) t.strictSame(ofDev(inputs), [], path)
    const files = await readdir(without)
    t.notOk(files.includes('testing.js'))
    for (const file of files) {
      const text = await readFile(join(without, file), 'utf8')
      t.notMatch(text, /ResettableStorage|startRedmint|lost_answer/, file)
    }
  },
)
