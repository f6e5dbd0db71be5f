import { readFileSync } from 'node:fs'
import type { Cluster, Redis } from 'ioredis'

const NAMES = [
  'create-record',
  'change-record',
  'save-code',
  'redeem-code',
  'withdraw-redemption',
  'save-token',
  'save-revoked-token',
  'find-token',
  'find-token-and-grant',
  'refresh-token',
  'withdraw-refresh',
  'revoke-token',
  'revoke-grant',
  'end-grant',
  'revoke-code',
  'create-session',
  'use-session',
  'join-session',
  'end-session',
  'save-pending',
  'read-pending',
  'change-pending',
  'finish-pending',
  'save-consent',
  'queue-logouts',
  'claim-logouts',
  'put-off-logout',
  'replace-signing-keys',
  'count-failure',
  'forgive-failure',
] as const
export type ScriptName = (typeof NAMES)[number]

const prelude = readScript('prelude')
const SCRIPTS = NAMES.map((name) => [name, prelude + readScript(name)] as const)

/** Runs a script of src/storage/redis/scripts; what it takes and answers stands at its top. */
export type RunScript = (
  name: ScriptName,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>

/**
 * Teaches a client our scripts. A connection sends a script's text once and its digest from then on; where
 * the server has forgotten it, the driver sends the text again.
 */
export function defineScripts(client: Redis | Cluster): RunScript {
  for (const [name, lua] of SCRIPTS) client.defineCommand(name, { lua })
  const defined = client as unknown as Record<
    ScriptName,
    (numberOfKeys: number, ...keysAndArgs: (string | number)[]) => Promise<unknown>
  >
  return (name, keys, args) => defined[name](keys.length, ...keys, ...args)
}

function readScript(name: string): string {
  return readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
}
