import type { Command } from 'commander'
import { addCommand, atServer } from '../command.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { listStreams, removeStream, resumeStream, showStream } from './stream.ts'

/** `redmint stream …` */
export function addStreamCommands(program: Command, run: CommandRun): void {
  const stream = program.command('stream').description('clients that are told of security events')
  atServer(
    addCommand(
      stream,
      'list',
      'Lists the receivers of security events: their status, how many events wait and since when, and what fails.',
      ['redmint stream list'],
    ),
  ).action((flags: ServerFlags) => run.operate(flags, listStreams))

  atServer(
    addCommand(stream, 'show <client_id>', 'Shows the stream of a receiver.', [
      'redmint stream show payroll',
    ]),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => showStream(calls, client_id)),
  )

  atServer(
    addCommand(
      stream,
      'resume <client_id>',
      'Enables a stream that is paused, after its receiver is back: what waits is delivered.',
      ['redmint stream resume payroll'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => resumeStream(calls, client_id)),
  )

  atServer(
    addCommand(
      stream,
      'remove <client_id>',
      'Removes the stream of a receiver that is gone, with what waits for it. As long as the client has the scope ssf.manage, it can make another one.',
      ['redmint stream remove payroll'],
    ),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => removeStream(calls, client_id)),
  )
}
