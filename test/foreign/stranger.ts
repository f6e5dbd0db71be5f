// What a stranger does with a page of docs/connect/: types its first lines in an empty folder, pastes its files, runs its
// command, and signs in, out, not at all, and once too often.
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { SettingsFile } from '../../src/admin/connect/preset.ts'
import type { PresetName } from '../../src/admin/connect/presets.ts'
import { SHELL } from '../../src/admin/connect/settings.ts'
import type { Person, Stage } from '../support/browser/stage.ts'
import { parsed } from '../support/cli/run-cli.ts'
import { freePort, type Program, run } from '../support/process.ts'
import { visit } from '../support/server.ts'
import { PROGRAM_LIMIT_MS, until } from '../support/until.ts'
import { commandOf, registerFor } from './connected.ts'
import { noteVersions } from './newest.ts'

/** What programs of others need of the environment; the rest of this one, such as settings of npm, is not theirs. */
const ENVIRONMENT = {
  HOME: process.env.HOME ?? '',
  CI: 'true',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(PIP_|GO|SSL_|NODE_EXTRA|npm_config_(registry|cafile))/.test(name),
    ),
  ),
}

/** Another text of a pasted file, so that a test need not wait for an hour. */
export interface Edit {
  readonly file: string
  readonly from: string
  readonly to: string
}

/** An application that was made as its page says. */
export interface MadeApplication {
  readonly client_id: string
  readonly client_secret: string
  readonly origin: string
  readonly port: number
  readonly folder: string
  /** Runs the command of the page, or another one, and resolves when the application answers. */
  serve(other_command?: string): Promise<Program>
  /** Runs a command beside the files, and returns what it prints. */
  run(command: string): Promise<string>
}

/** Makes an application as its page says. @param edits what else is changed in its files */
export async function make(
  t: Test,
  stage: Pick<Stage, 'redis' | 'issuer'>,
  name: PresetName,
  { flags = [], edits = [] }: { readonly flags?: readonly string[]; readonly edits?: readonly Edit[] } = {},
): Promise<MadeApplication> {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const { client_id, client_secret, settings } = await registerFor(t, stage, name, origin, flags)
  const empty = await mkdtemp(join(tmpdir(), `redmint-${name}-`))
  t.teardown(() => rm(empty, { recursive: true, force: true }))
  const made = await madeOf(t, settings, empty, origin)
  for (const { file, from, to } of edits) {
    const text = await readFile(join(made.folder, file), 'utf8')
    if (!text.includes(from)) throw new Error(`${file} has no "${from}"`)
    await writeFile(join(made.folder, file), text.replace(from, to))
  }
  await shell(t, FREEZE, made.folder)
  // What the page says that it was tried with.
  t.teardown(() => (t.passing() ? noteVersions(made.folder) : undefined))
  return { client_id, client_secret, port, ...made }
}

/** Makes an application of printed files in an empty folder. @param origin where it answers */
export async function madeOf(
  t: Test,
  settings: readonly Pick<SettingsFile, 'file' | 'text' | 'use' | 'run'>[],
  empty: string,
  origin: string,
): Promise<Pick<MadeApplication, 'origin' | 'folder' | 'serve' | 'run'>> {
  const begin = settings.find(({ file }) => file === SHELL)?.text ?? ''
  const folder = (await shell(t, `${begin}pwd`, empty)).trim().split('\n').pop() ?? ''
  for (const file of settings) if (file.file !== SHELL) await paste(folder, file)
  const printed = settings.find(({ run }) => run !== undefined)?.run ?? ''
  return {
    origin,
    folder,
    run: (command) => shell(t, `${ACTIVATE}${command}`, folder),
    async serve(command = printed) {
      // What it starts ends with it.
      const group = `trap 'kill -- -$$' TERM; (${ACTIVATE}${command}) & wait`
      const program = run(t, 'setsid', ['bash', '-c', group], ENVIRONMENT, folder)
      let over = false
      program.ended.then(() => {
        over = true
      })
      const answers = async () => {
        if (over) throw new Error(`${command} ended:\n${program.stdout}${program.stderr}`)
        return fetch(origin, { redirect: 'manual' }).then(Boolean, () => false)
      }
      await until(`${command} answers`, answers, 300, PROGRAM_LIMIT_MS)
      return program
    },
  }
}

/** A virtual environment of Python is left with the shell that entered it. */
const ACTIVATE = 'if [ -d .venv ]; then . .venv/bin/activate; fi; '
/** Its packages and their versions. */
const FREEZE = 'if [ -d .venv ]; then .venv/bin/pip freeze > .venv/versions.txt; fi'

async function paste(
  folder: string,
  { file, text, use }: Pick<SettingsFile, 'file' | 'text' | 'use'>,
): Promise<void> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await (use?.includes('at its end') ? appendFile(path, text) : writeFile(path, text))
}

async function shell(t: Test, script: string, folder: string): Promise<string> {
  const program = run(t, 'bash', ['-ec', script], ENVIRONMENT, folder)
  const { code } = await program.ended
  if (code !== 0) throw new Error(`${script} ended with ${code}:\n${program.stdout}${program.stderr}`)
  return program.stdout
}

/** What the browser of a stranger sees at an application whose page has a link or a button "Sign in", and "Sign out". */
export async function walk(
  t: Test,
  stage: Stage,
  app: Pick<MadeApplication, 'client_id' | 'origin'>,
  refusal = /not signed in/,
): Promise<void> {
  const alice = await stage.welcome()
  await begin(alice, app)
  await alice.signIn()
  await alice.sees(`Allow ${app.client_id} to access your account?`)
  await decide(alice, 'allow')
  await says(alice, app, /Alice Example\s+alice@example\.com/)
  await press(alice, 'Sign out')
  await alice.page.waitForURL((url) => url.origin === app.origin)
  await says(alice, app, /Sign in/)
  await press(alice, 'Sign in')
  await alice.sees('Sign in')

  const bob = await stage.welcome()
  await begin(bob, app)
  await bob.signIn('bob')
  await bob.sees(`Allow ${app.client_id} to access your account?`)
  const answered: number[] = []
  bob.page.on('response', (response) => answered.push(response.status()))
  await decide(bob, 'deny')
  await says(bob, app, refusal)
  t.notOk(
    answered.find((status) => status >= 500),
    'a refusal is no fault of the application',
  )
  t.ok(answered.length < 20, 'nor a loop')
  // Somebody without an address and a name of more than one word, too.
  await bob.page.goto(app.origin)
  await press(bob, 'Sign in')
  await bob.sees(`Allow ${app.client_id} to access your account?`)
  await decide(bob, 'allow')
  await says(bob, app, /Sign out/)

  // Who is disabled at redmint leaves.
  const redmint = commandOf(t, stage)
  await redmint(['user', 'disable', 'bob'])
  await until(
    'bob is out',
    async () => {
      await bob.page.goto(app.origin)
      const text = (await bob.page.textContent('body')) ?? ''
      return !text.includes('Sign out')
    },
    500,
  )
  await redmint(['user', 'enable', 'bob'])

  // Who may not use it is told so by redmint, and comes back.
  await redmint(['client', 'update', app.client_id, '--allow-group', 'staff'])
  const other = await stage.welcome()
  await begin(other, app)
  await other.signIn('bob')
  await other.sees(`No access to ${app.client_id}`)
  await decide(other, 'deny')
  await says(other, app, refusal)
  await redmint(['client', 'update', app.client_id, '--clear-allow-groups'])
}

/** What alice sees at an application that she has allowed before. */
export async function comeBack(
  stage: Stage,
  app: Pick<MadeApplication, 'client_id' | 'origin'>,
): Promise<void> {
  const alice = await stage.welcome()
  await begin(alice, app)
  await alice.signIn()
  await says(alice, app, /Alice Example\s+alice@example\.com/)
  await press(alice, 'Sign out')
  await says(alice, app, /Sign in/)
  await press(alice, 'Sign in')
  await alice.sees('Sign in')
}

/** Calls an API, whose tokens have the scopes of `resource add`: what it must take, and what it must not. */
export async function callApi(
  t: Test,
  stage: Stage,
  app: Pick<MadeApplication, 'client_id' | 'origin'>,
  how: 'by introspection' | 'by the key set' = 'by introspection',
): Promise<void> {
  const redmint = commandOf(t, stage)
  const other = 'https://payroll.example.com'
  for (const uri of [app.origin, other]) {
    await redmint(['resource', 'add', uri, '--scope', 'orders.read orders.write'])
  }
  const call = async (token?: string) => {
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    const answer = await fetch(`${app.origin}/orders`, { headers })
    return { status: answer.status, text: await answer.text() }
  }
  for (const format of how === 'by the key set' ? ['jwt'] : ['opaque', 'jwt']) {
    const client_id = `${app.client_id}-${format}`
    const scope = 'orders.read orders.write'
    const add = ['client', 'add', client_id, '--scope', scope, '--access-token-format', format, '--json']
    const { client_secret } = parsed<{ client_secret: string }>(await redmint(add))
    const credentials = { client_id, client_secret }
    const issue = async (more: Record<string, string>) => {
      const form = { grant_type: 'client_credentials', ...credentials, ...more }
      const { json } = await visit(stage.issuer).token(form)
      return String(json.access_token)
    }
    const good = await issue({ scope: 'orders.read', resource: app.origin })
    t.match(await call(good), { status: 200, text: client_id }, format)
    t.equal((await call(await issue({ scope: 'orders.write', resource: app.origin }))).status, 403)
    t.equal((await call(await issue({ scope: 'orders.read', resource: other }))).status, 401)
    t.equal((await call(await issue({ scope: 'orders.read' }))).status, 401, 'for no API')
    if (how === 'by the key set') continue
    const body = new URLSearchParams({ token: good, ...credentials })
    await fetch(`${stage.issuer}/oauth2/revoke`, { method: 'POST', body })
    t.equal((await call(good)).status, 401, 'a revoked token')
  }
  t.equal((await call()).status, 401)
  t.equal((await call('nonsense')).status, 401)
}

async function begin(person: Person, app: Pick<MadeApplication, 'client_id' | 'origin'>): Promise<void> {
  await person.page.goto(app.origin)
  await press(person, 'Sign in')
  await person.sees('Sign in')
}

async function press({ page }: Person, name: string): Promise<void> {
  await page
    .getByRole('link', { name })
    .or(page.getByRole('button', { name }))
    .first()
    .click({ noWaitAfter: true })
}

/** Presses a button of redmint. What the application compiles meanwhile takes as long as it takes. */
const decide = ({ page }: Person, decision: 'allow' | 'deny') =>
  page.click(`button[name=decision][value=${decision}]`, { noWaitAfter: true })

/** Waits for a page of the application that says so. */
async function says(
  { page }: Person,
  app: Pick<MadeApplication, 'client_id' | 'origin'>,
  text: RegExp,
): Promise<void> {
  let seen = ''
  await until(
    `${app.client_id} says ${text}`,
    async () => {
      if (!page.url().startsWith(app.origin)) return false
      seen = (await page.textContent('body').catch(() => '')) ?? ''
      return text.test(seen)
    },
    200,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}, but ${page.url()}: ${seen.slice(0, 800)}`)
  })
}
