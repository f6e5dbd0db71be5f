import closeWithGrace from 'close-with-grace'
import type { Development, DevFlags } from '../cli/dev/development.ts'
import { demoWarning } from '../src/config/start-warnings.ts'
import { endWithNpm } from '../src/service/npm-shell.ts'
import { prepareKeyPairs } from './key-pairs.ts'
import type { Redmint } from './redmint.ts'
import { readSeed } from './seed-file.ts'

/** Where requests control the server. */
const CONTROL_PATH = '/dev/'

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

// What checks is loaded where something is checked.
export const checkClientBy: Development['checkClientBy'] = async (flags) =>
  (await import('./checked.ts')).checkClientBy(flags)

export const checkApiBy: Development['checkApiBy'] = async (flags) =>
  (await import('./checked.ts')).checkApiBy(flags)
