import { nodeNotice } from '../core/node-floor.ts'
import type { Config } from './config.ts'
import type { Settings } from './settings.ts'

/**
 * Returns what is unsafe in a configuration, a line each with what to do; the server logs them once at start.
 * @param node the version of Node
 */
export function startWarnings(
  { production, redis, tokens_at_rest, settings, warnings }: Config,
  node = process.versions.node,
): string[] {
  const lines = [...warnings]
  if (redis === undefined) {
    lines.push('Storage is memory: every token and client is forgotten at exit. Set REDIS_URL to keep them.')
  }
  if (settings.demo !== false) lines.push(demoWarning(settings))
  if (production && settings.key_encryption_key === undefined) {
    lines.push(
      'Signing keys are stored unencrypted: whoever reads Redis or a backup can sign tokens. Set KEY_ENCRYPTION_KEY in all servers (openssl rand -base64 32); new keys are then encrypted.',
    )
  }
  if (production && tokens_at_rest === 'plain') {
    lines.push(
      'Tokens are stored unhashed: whoever reads Redis or a backup can use them. Set TOKENS_AT_REST=hashed in all servers; existing codes and tokens then become invalid.',
    )
  }
  const notice = nodeNotice(node)
  if (notice !== undefined) lines.push(notice)
  return lines
}

/** Returns the warning about a server in demo mode. */
export function demoWarning({ demo }: Pick<Settings, 'demo'>): string {
  return demo === true
    ? 'Demo mode is on: this server is for development, and gives everybody on this machine any token.'
    : `Demo mode is ${demo}: whoever reaches this server can sign in as anyone. Remove DEMO for a real service.`
}
