// The example of examples/approve/, with the MCP SDK unpatched: a tool writes what its user allowed in a browser, once.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Person, setStage } from '../support/browser/stage.ts'
import { DESKTOP } from '../support/browser.ts'
import { createCli } from '../support/cli/run-cli.ts'
import { copyExample } from '../support/example.ts'
import { blocks, readText } from '../support/markdown.ts'
import { freePort, ROOT, run, TYPESCRIPT } from '../support/process.ts'
import { until } from '../support/until.ts'
import { HERE } from './connected.ts'

const stage = await setStage(t)

/** Starts the example on free ports. Returns its client and its API. */
async function start(t: Test, environment: Record<string, string> = {}) {
  const [issuer, mcp, port] = [await freePort(), await freePort(), await freePort()]
  const run_in = join(HERE, '.run')
  await mkdir(run_in, { recursive: true })
  const folder = await copyExample(t, 'approve', run_in, { 3000: issuer, 4000: mcp, 5000: port })
  const program = run(t, process.execPath, [TYPESCRIPT, 'start.mjs'], environment, folder)
  t.ok(await program.prints(/The MCP client is at/), program.stderr)
  return {
    issuer: `http://localhost:${issuer}`,
    client: `http://127.0.0.1:${port}`,
    notes: `http://localhost:${mcp}/notes`,
  }
}

/** Signs in at the client, by a tool that only reads. */
async function signIn(person: Person, client: string) {
  await person.page.goto(client)
  await press(person, 'list_notes')
  await person.sees('Sign in')
  await person.signIn('alice', 'wonderland')
  await person.sees('Allow Notes client to access your account?')
  await person.press('allow')
  await shows(person, '{"notes":[]}')
}

const press = ({ page }: Person, tool: string) => page.click(`button[formaction="/call/${tool}"]`)
const sees = async ({ page }: Person, what: string, hasText = '') => {
  const found = page.locator(what, { hasText })
  await found.waitFor().catch(async () => {
    throw new Error(`no ${what} ${hasText} at ${page.url()}: ${await page.textContent('body')}`)
  })
  return found
}
const shows = (person: Person, text: string) => sees(person, 'pre', text)

t.test('the client shows where the question is, and the tool writes after the yes', async (t) => {
  const { client, notes } = await start(t)
  const person = await stage.welcome(DESKTOP)
  await signIn(person, client)
  await press(person, 'add_note')
  const link = await sees(person, 'a')
  const [question] = await Promise.all([person.context.waitForEvent('page'), link.click()])
  await question.getByRole('heading', { name: 'Waiting for your answer' }).waitFor()
  await question.click('#asks .button')
  await question.getByRole('heading', { name: 'Notes asks for your answer' }).waitFor()
  t.match(await question.textContent('main'), 'Write the note “Buy milk”')
  await person.page.reload()
  t.equal((await person.page.textContent('pre'))?.trim(), '', 'nothing is written before the answer')
  await question.click('button[value=allow]')
  await question.getByRole('heading', { name: 'You said yes' }).waitFor()
  await shows(person, '{"notes":["Buy milk"]}')
  t.equal((await fetch(notes, { method: 'POST' })).status, 401, 'the API writes nothing by itself')

  await press(person, 'add_note')
  await question.goto(String(await (await sees(person, 'a')).getAttribute('href')))
  await question.click('#asks .button')
  await question.click('button[value=deny]')
  await shows(person, 'The user said no.')
  await press(person, 'list_notes')
  await shows(person, '{"notes":["Buy milk"]}')
})

t.test('with a client that shows no addresses, the user finds the question', async (t) => {
  const { client, issuer } = await start(t, { ELICITS: 'nothing' })
  const person = await stage.welcome(DESKTOP)
  await signIn(person, client)
  await press(person, 'add_note')
  const question = await person.context.newPage()
  await until('the bar is shown', async () => {
    await question.goto(`${issuer}/`)
    return (await question.getByRole('status').count()) > 0
  })
  await question.click('[role=status] a')
  await question.click('#asks .button')
  await question.click('button[value=allow]')
  await shows(person, '{"notes":["Buy milk"]}')
})

t.test('the commands of the page make what the example has', async (t) => {
  const [, commands = ''] = blocks(await readText('examples/approve/README.md'), 'sh')
  const { redmint } = createCli()
  const schema = join(ROOT, 'examples/approve/note.json')
  for (const line of commands.replaceAll('\\\n', ' ').trim().split('\n')) {
    const words = [...line.replace('note.json', schema).matchAll(/(?:"[^"]*"|[^\s"])+/g)]
    const [, ...args] = words.map(([word]) => word.replaceAll('"', ''))
    const { code, stderr } = await redmint(args)
    t.equal(code, 0, stderr)
  }
})
