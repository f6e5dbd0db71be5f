import type { Command } from 'commander'
import { DETAIL_TYPE_FIELDS } from '../../src/details/detail-type-fields.ts'
import { addCommand, atServer, collect, type FindFlag, withFind } from '../command.ts'
import { Refusal } from '../errors.ts'
import { addFieldFlags } from '../field-flags.ts'
import { lint } from '../findings.ts'
import { addReindexCommand } from '../reindex.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import {
  addDetailType,
  changeDetailType,
  type DetailTypeFlags,
  removeDetailType,
  setDisabled,
} from './edit.ts'
import { listDetailTypes, showDetailType } from './show.ts'

/** `redmint detail-type …` */
export function addDetailTypeCommands(program: Command, run: CommandRun): void {
  const noun = program
    .command('detail-type')
    .description('types of authorization_details, which people allow one by one (RFC 9396)')

  withParts(
    addCommand(
      noun,
      'add <type>',
      'Adds a type of details: what its objects have, and the sentence that people read. Clients may ask for it once their field authorization_details_types names it.',
      [
        'redmint detail-type add payment --schema payment.json --text en="Pay {amount} {currency} to {creditor}"',
        'redmint detail-type add payment --schema payment.json --text en="Pay {amount}" --text de="{amount} zahlen" --pushed true',
      ],
    ),
  ).action((type: string, flags: DetailTypeFlags & ServerFlags) =>
    run.operate(flags, (calls) => addDetailType(calls, type, flags)),
  )

  withFind(
    atServer(
      addCommand(noun, 'list', 'Lists all types of details, malformed records included.', [
        'redmint detail-type list',
      ]),
    ),
  ).action((flags: ServerFlags & FindFlag) => run.operate(flags, (calls) => listDetailTypes(calls, flags)))

  atServer(
    addCommand(noun, 'show <type>', 'Shows a type of details.', ['redmint detail-type show payment']),
  ).action((type: string, flags: ServerFlags) => run.operate(flags, (calls) => showDetailType(calls, type)))

  withParts(
    addCommand(
      noun,
      'set <type>',
      'Changes the given fields of a type of details. A schema replaces the old one; a sentence that of its language.',
      ['redmint detail-type set payment --text fr="Payer {amount} {currency} à {creditor}" --remember false'],
    ),
  ).action((type: string, flags: DetailTypeFlags & ServerFlags) =>
    run.operate(flags, (calls) => changeDetailType(calls, type, flags)),
  )

  atServer(
    addCommand(noun, 'disable <type>', 'Disables a type of details: nobody gets it. Its record stays.', [
      'redmint detail-type disable payment',
    ]),
  ).action((type: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => setDisabled(calls, type, true)),
  )

  atServer(
    addCommand(noun, 'enable <type>', 'Enables a disabled type of details.', [
      'redmint detail-type enable payment',
    ]),
  ).action((type: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => setDisabled(calls, type, false)),
  )

  atServer(
    addCommand(noun, 'remove <type>', 'Removes a type of details permanently; asks first.', [
      'redmint detail-type remove payment --yes',
    ]),
  )
    .option('--yes', 'do not ask')
    .action(async (type: string, flags: ServerFlags & { yes?: true }) => {
      if (!(await run.confirm(flags, `Remove the type of details "${type}" permanently?`))) {
        throw new Refusal('Nothing was changed.')
      }
      await run.operate(flags, (calls) => removeDetailType(calls, type))
    })

  atServer(
    addCommand(
      noun,
      'lint [type]',
      'Checks types of details for errors and likely mistakes; exit code 1 if there are errors.',
      ['redmint detail-type lint', 'redmint detail-type lint payment --json'],
    ),
  ).action((type: string | undefined, flags: ServerFlags) =>
    run.operate(flags, (calls) => lint(calls, 'detail_type', type)),
  )

  addReindexCommand(noun, run, 'detail-type')
}

function withParts(command: Command): Command {
  return addFieldFlags(
    atServer(command)
      .option('--schema <file>', 'a file with the schema of its objects, in JSON')
      .option('--text <language=sentence>', 'the sentence that people read; repeatable', collect),
    DETAIL_TYPE_FIELDS,
  )
}
