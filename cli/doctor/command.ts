import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import type { CommandRun } from '../run.ts'

/** Adds `doctor`, which examines Redis, the issuer, the keys and the records. */
export function addDoctorCommand(program: Command, run: CommandRun): void {
  addCommand(
    program,
    'doctor',
    'Examines Redis, the issuer, the signing keys and the records, and says what to do. Run it with the environment of the servers.',
    ['redmint doctor'],
  ).action(async (flags: { json?: true }) => {
    // The other commands and the server need none of it.
    const { examine } = await import('./examine.ts')
    await run.execute(flags, examine)
  })
}
