// The applications of examples/, with the sources of redmint instead of its package.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { isRefused } from './half-sent.ts'
import { exported, ROOT, run, TYPESCRIPT } from './process.ts'
import { until } from './until.ts'

const EXPORTS = {
  redmint: 'index',
  'redmint/storage': 'storage',
  'redmint/resource-server': 'resource-server',
}

/**
 * Copies an example, and returns the folder, which is removed with the test.
 * @param within where to put it: packages of the example are found from there
 * @param ports those to use instead of others
 */
export async function copyExample(
  t: Test,
  name: string,
  within: string,
  ports: Record<number, number> = {},
): Promise<string> {
  const folder = await mkdtemp(join(within, `${name}-`))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  await cp(join(ROOT, 'examples', name), folder, { recursive: true })
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.mjs'))) {
    let text = await readFile(join(folder, file), 'utf8')
    for (const [name, source] of Object.entries(EXPORTS)) {
      text = text.replace(`'${name}'`, JSON.stringify(exported(source)))
    }
    text = text.replace(/\b[345]000\b/g, (port) => String(ports[Number(port)] ?? port))
    await writeFile(
      join(folder, file),
      text.replace("'fastify'", JSON.stringify(join(ROOT, 'node_modules/fastify/fastify.js'))),
    )
  }
  return folder
}

/** Starts a program of an example, and resolves when it listens at this port. */
export async function startProgram(
  t: Test,
  folder: string,
  file: string,
  port: number,
  environment: Record<string, string> = {},
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
