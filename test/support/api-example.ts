// The examples of docs/resource-servers.md, as processes.
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { temporaryFolder } from './build.ts'
import { exported, freePort, run, TYPESCRIPT } from './process.ts'
import { visit } from './server.ts'
import { until } from './until.ts'

/**
 * Starts an example on a port of its own, with another issuer and as another resource, and waits until it answers.
 * @param packages the folder with the packages that it imports
 */
export async function startExample(
  t: Test,
  example: string,
  {
    issuer,
    secret,
    packages,
    environment = {},
  }: { issuer: string; secret: string; packages: string; environment?: Record<string, string> },
) {
  const port = await freePort()
  const address = `http://localhost:${port}`
  const text = example
    .replaceAll('https://auth.example.com', issuer)
    .replaceAll('https://api.example.com', address)
    .replaceAll("'redmint/resource-server'", JSON.stringify(exported('resource-server')))
  const folder = await temporaryFolder(t, 'example')
  await symlink(packages, join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const file = join(folder, 'api.ts')
  await writeFile(file, text)
  const settings = { PORT: String(port), CLIENT_SECRET: secret, ...environment }
  const api = run(t, process.execPath, [TYPESCRIPT, file], settings)
  const { get } = visit(address)
  let ended = false
  api.ended.then(() => {
    ended = true
  })
  const answers = () => get('/reports').then(Boolean, () => ended)
  await until('the example answers', answers)
  if (ended) throw new Error(`the example ended:\n${api.stderr}`)
  return { get, address }
}
