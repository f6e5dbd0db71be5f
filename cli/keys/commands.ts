import type { Command } from 'commander'
import { type Keys, NO_KEYS } from '../../src/admin/server/keys.ts'
import type { Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { listed, type Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

/** `redmint keys …` */
export function addKeyCommands(program: Command, run: CommandRun): void {
  const keys = program.command('keys').description('signing keys of all servers')

  atServer(
    addCommand(keys, 'list', 'Lists the signing keys; private parts are never shown.', ['redmint keys list']),
  ).action((flags: ServerFlags) => run.operate(flags, list))

  atServer(
    addCommand(
      keys,
      'rotate',
      'Makes the next keys current and publishes new next keys. Servers do this by themselves every KEY_ROTATION_DAYS. Use the same KEY_ENCRYPTION_KEY as the servers.',
      ['redmint keys rotate'],
    ),
  ).action((flags: ServerFlags) => run.operate(flags, rotate))
}

async function list({ call }: Calls): Promise<Report> {
  const { items: keys } = await call('list_keys')
  return keys.length === 0 ? { text: NO_KEYS, json: { keys } } : reportKeys([], keys)
}

async function rotate({ call }: Calls): Promise<Report> {
  return reportKeys(
    ['The keys are rotated: servers sign with the current keys within 30 seconds.', ''],
    (await call('rotate_keys')).items,
  )
}

function reportKeys(lines: readonly string[], described: Keys['items']): Report {
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
  return {
    text: [...lines, listed(head, rows, { none: 'There are no keys.', noun: 'key' })].join('\n'),
    json: { keys },
  }
}
