import type { Command } from 'commander'
import { addCommand } from '../command.ts'
import { PRESET_NAMES, readOrigin, readPreset } from '../connect/connect.ts'
import type { CommandRun } from '../run.ts'
import { addCheckCommands } from './check.ts'
import type { DevFlags } from './development.ts'
import { readPort } from './port.ts'

/** `redmint dev` */
export function addDevCommands(program: Command, run: CommandRun): void {
  const dev = addCommand(
    program,
    'dev',
    'Starts a server for development: the real one, in memory, for tests and this machine, with what they need to control it.',
    [
      'redmint dev',
      'redmint dev --for nextjs --origin http://localhost:3001',
      'redmint dev --host auth --expose',
    ],
  )
    .option('--port <port>', 'the port to listen on', readPort, 3000)
    .option(
      '--host <host>',
      'the host in the issuer: `localhost`, or a name that only a private network has, such as `auth`',
    )
    .option('--expose', 'listen for other machines, too, as in a network of containers')
    .option(
      '--seed <file>',
      'clients, users and resources in the form of [apply](#apply-file) (default: `redmint.dev.yaml`, if there is one)',
    )
    .option('--redis <url>', 'keep the records in this Redis, which no server uses')
    .option(
      '--for <framework>',
      `register a client of this framework, too, and print its settings: ${PRESET_NAMES}`,
      readPreset,
    )
    .option('--origin <url>', 'with `--for`: the address of the application', readOrigin)
    .option('--token <token>', 'what requests at `/dev/` prove themselves with (default: a random one)')
    .option('--log-level <level>', 'log lines of this level (default: `warn`)')
    .action(async ({ logLevel = 'warn', ...flags }: CommandFlags) => {
      const { serveDev } = await run.development()
      await serveDev({ ...flags, log_level: logLevel }, (text) => run.writeText(text))
    })
    .enablePositionalOptions()
  addCheckCommands(dev, run)
}

type CommandFlags = Omit<DevFlags, 'log_level'> & { readonly logLevel?: string }
