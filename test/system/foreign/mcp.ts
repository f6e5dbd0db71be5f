// The example of examples/mcp/, with the MCP SDK of this folder.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isRefused } from '../../support/half-sent.ts'
import { ROOT, run, TYPESCRIPT } from '../../support/process.ts'
import { until } from '../../support/until.ts'
import type { Person } from '../browser/stage.ts'
import { HERE } from './connected.ts'

const RUN = join(HERE, '.run')

/**
 * Copies the example, with the sources of redmint instead of its package. Returns the folder.
 * @param ports those to use instead of others
 */
export async function copyExample(t: Test, ports: Record<number, number> = {}): Promise<string> {
  await mkdir(RUN, { recursive: true })
  const folder = await mkdtemp(join(RUN, 'mcp-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await cp(join(ROOT, 'examples/mcp'), folder, { recursive: true })
  const exported = {
    redmint: 'index',
    'redmint/storage': 'storage',
    'redmint/resource-server': 'resource-server',
  }
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.mjs'))) {
    let text = await readFile(join(folder, file), 'utf8')
    for (const [name, source] of Object.entries(exported)) {
      text = text.replace(`'${name}'`, JSON.stringify(join(ROOT, `exports/${source}.ts`)))
    }
    text = text.replace(/\b[345]000\b/g, (port) => String(ports[Number(port)] ?? port))
    await writeFile(
      join(folder, file),
      text.replace("'fastify'", JSON.stringify(join(ROOT, 'node_modules/fastify/fastify.js'))),
    )
  }
  return folder
}

/** Starts a program of the example, and resolves when it listens at this port. */
export async function startProgram(
  t: Test,
  folder: string,
  file: string,
  port: number,
  environment: Record<string, string>,
) {
  const program = run(t, process.execPath, [TYPESCRIPT, file], { PORT: String(port), ...environment }, folder)
  let over = false
  program.ended.then(() => {
    over = true
  })
  await until(`${file} listens`, async () => {
    if (over) throw new Error(`${file} ended:\n${program.stdout}${program.stderr}`)
    return !(await isRefused(port))
  })
  return program
}

/** Presses the button of a tool on the page of the client, and waits for the page that follows. */
export async function press({ page }: Person, client: string, tool: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(client)
  await Promise.all([page.waitForNavigation(), page.click(`button[formaction="/call/${tool}"]`)])
}

/** Waits until the page of the client shows the answer of a tool. */
export async function answer({ page }: Person, client: string): Promise<Record<string, unknown>> {
  await page.waitForURL((url) => url.origin === client)
  const text = (await page.textContent('pre')) ?? ''
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`no answer at ${page.url()}: ${text}`)
  }
}
