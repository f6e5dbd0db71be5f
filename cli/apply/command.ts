import type { Command } from 'commander'
import { count } from '../../src/core/count.ts'
import { addCommand, atServer } from '../command.ts'
import { UsageError } from '../errors.ts'
import { readTextFile } from '../import.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { type ApplyFlags, applyDeclaration } from './apply.ts'
import { readDeclaration } from './declaration.ts'

/** `redmint apply` */
export function addApplyCommand(program: Command, run: CommandRun): void {
  const command = addCommand(
    program,
    'apply <file>',
    'Makes clients, users, resources, trusted issuers and other servers what a YAML or JSON file declares ("-" for stdin), and prints each difference. A second run changes nothing.',
    [
      'redmint apply redmint.yaml --dry-run',
      'redmint apply redmint.yaml --prune --yes',
      'redmint apply redmint.yaml --adopt',
    ],
  )
  atServer(command)
    .option('--dry-run', 'print the differences and change nothing')
    .option(
      '--prune',
      "remove records with the file's label that are no longer in the file, which ends their sessions and tokens; asks first",
    )
    .option('--adopt', 'take over records that exist without a label, or with that of another file')
    .option('--yes', 'do not ask; required with `--prune` if there is no terminal')
    .action(async (file: string, flags: ApplyFlags & ServerFlags & { yes?: true }) => {
      if (file === '-' && flags.prune && !flags.yes && !flags.dryRun) {
        throw new UsageError('The file is read from stdin, so --prune cannot ask there: give --yes as well.')
      }
      const content = await readTextFile(file, () => run.readStdin())
      await run.operate(flags, async (calls) =>
        applyDeclaration(calls, await readDeclaration(content, run.environment), flags, {
          ...run.importing,
          confirm: (removals) => run.confirm(flags, `Remove ${count(removals, 'record')} permanently?`),
          progress: (total) => run.progress('Applied', total),
        }),
      )
    })
}
