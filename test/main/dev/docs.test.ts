// Runs the example of docs/testing/control.md, and its command.
import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import type { Redmint } from '../../../exports/testing.ts'
import { ACTING_SEED, introspect, startDev } from '../../support/dev.ts'
import { readText } from '../../support/markdown.ts'
import { exported } from '../../support/process.ts'

const PAGE = await readText('docs/testing/control.md')
const run = promisify(execFile)

/** Returns the code of the page in a language. */
const codeIn = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE)?.[1] ?? ''

t.test('the example runs', async (t) => {
  const testing = pathToFileURL(exported('testing')).href
  const example = codeIn('ts').replace("'redmint/testing'", JSON.stringify(testing))
  t.match(example, testing)
  const folder = t.testdir({ 'example.mjs': `${example}\nexport { access_token, expired }\n` })
  const { access_token, expired } = (await import(pathToFileURL(`${folder}/example.mjs`).href)) as {
    access_token: string
    expired: { access_token: string }
  }
  t.type(access_token, 'string')
  t.type(expired.access_token, 'string')
  t.not(expired.access_token, access_token)
})

t.test('the example of those who act for others runs', async (t) => {
  const redmint = await startDev(t, { seed: ACTING_SEED })
  const folder = t.testdir({
    'acting.mjs': `export const run = async (redmint) => {${codeIn('js')} return access_token }`,
  })
  const { run } = (await import(pathToFileURL(`${folder}/acting.mjs`).href)) as {
    run(redmint: Redmint): Promise<string>
  }
  t.match(await introspect(redmint, await run(redmint)), { active: true, act: { sub: 'orders-api' } })
})

t.test('the command runs', async (t) => {
  const { issuer, control_token } = await startDev(t)
  const env = { ...process.env, ISSUER: issuer, CONTROL_TOKEN: control_token }
  const { stdout } = await run('sh', ['-c', codeIn('sh')], { env })
  t.match(JSON.parse(stdout), { access_token: String, token_type: 'Bearer' })
})
