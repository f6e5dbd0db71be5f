import { readFile } from 'node:fs/promises'
import closeWithGrace from 'close-with-grace'
import type { DevFlags } from '../cli/dev/development.ts'
import { UsageError } from '../cli/errors.ts'
import { demoWarning } from '../src/config/start-warnings.ts'
import { endWithNpm } from '../src/service/npm-shell.ts'
import { prepareKeyPairs } from './key-pairs.ts'
import type { Redmint } from './redmint.ts'

/** Where requests control the server. */
const CONTROL_PATH = '/dev/'

/** The file of the seed in the working directory. */
const SEED_FILE = 'redmint.dev.yaml'

/**
 * Serves for development until a signal says to stop, and prints what to paste.
 * @throws ConfigError, Refusal if it cannot start
 */
export async function serveDev(
  { seed: file, json, token, ...options }: DevFlags,
  print: (text: string) => Promise<void>,
): Promise<void> {
  endWithNpm()
  // In the time that the server takes to load.
  prepareKeyPairs()
  const { startRedmint } = await import('./start.ts')
  const seed = await readSeed(file)
  const redmint = await startRedmint({
    ...options,
    ...(seed !== undefined && { seed }),
    ...(token !== undefined && { control_token: token }),
  })
  closeWithGrace(() => redmint.close())
  await print(json ? `${JSON.stringify(asJson(redmint))}\n` : await asText(redmint))
}

const asJson = ({ issuer, control_token }: Redmint) => ({
  issuer,
  control: `${issuer}${CONTROL_PATH}`,
  token: control_token,
})

async function asText({ issuer, settings, control_token, pasted }: Redmint): Promise<string> {
  const { demoCommands } = await import('../src/demo/demo-records.ts')
  const parts = [
    `redmint dev: ${issuer}\n${demoWarning(settings)}\n`,
    demoCommands(settings),
    pasted === undefined ? '' : `\n${pasted}\n`,
    `\n# What tests do without pages, faults included: docs/dev.md\ncurl -s -H 'Authorization: Bearer ${control_token}' ${issuer}${CONTROL_PATH}\n`,
  ]
  return parts.join('')
}

async function readSeed(file: string | undefined): Promise<string | undefined> {
  try {
    return await readFile(file ?? SEED_FILE, 'utf8')
  } catch (error) {
    if (file === undefined && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`The seed ${file ?? SEED_FILE} cannot be read: ${(error as Error).message}.`)
  }
}
