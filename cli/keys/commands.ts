import type { Command } from 'commander'
import { type KeyDescription, listKeys, NO_KEYS, rotateKeys } from '../../src/admin/keys.ts'
import { adminContext } from '../admin-context.ts'
import { addCommand } from '../command.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext, CommandRun } from '../run.ts'

/** `redmint keys …` */
export function addKeyCommands(program: Command, run: CommandRun): void {
  const keys = program.command('keys').description('signing keys of all servers')

  addCommand(keys, 'list', 'Lists the signing keys; private parts are never shown.', [
    'redmint keys list',
  ]).action((flags: { json?: true }) => run.execute(flags, list))

  addCommand(
    keys,
    'rotate',
    'Makes the next keys current and publishes new next keys. Servers do this by themselves every KEY_ROTATION_DAYS. Use the same KEY_ENCRYPTION_KEY as the servers.',
    ['redmint keys rotate'],
  ).action((flags: { json?: true }) => run.execute(flags, rotate))
}

async function list({ storage }: CommandContext): Promise<Report> {
  const keys = await listKeys(storage.signing_keys)
  return keys.length === 0 ? { text: NO_KEYS, json: { keys } } : reportKeys([], keys)
}

async function rotate(context: CommandContext): Promise<Report> {
  return reportKeys(
    ['The keys are rotated: servers sign with the current keys within 30 seconds.', ''],
    await rotateKeys(adminContext(context)),
  )
}

function reportKeys(lines: readonly string[], described: readonly KeyDescription[]): Report {
  const keys = described.map(({ public_jwk: _, ...shown }) => shown)
  const rows = keys.map((key) => [
    key.kid,
    key.alg,
    key.status,
    key.created_at,
    key.usable_at,
    key.current_since ?? '',
    key.published_until ?? '',
  ])
  const head = ['KID', 'ALG', 'STATUS', 'CREATED', 'USABLE FROM', 'CURRENT SINCE', 'PUBLISHED UNTIL']
  return { text: [...lines, table(head, rows)].join('\n'), json: { keys } }
}
