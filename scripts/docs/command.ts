import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { buildProgram, runCli } from '../../cli/program.ts'
import { CommandRun, type ProcessContext } from '../../cli/run.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'

function contextWith(stdout: PassThrough): ProcessContext {
  return {
    invocation: 'redmint',
    environment: { REDIS_URL: 'redis://127.0.0.1:1', ISSUER: 'https://auth.example.com' },
    stdin: Readable.from([]),
    stdout,
    stderr: new PassThrough(),
    storageOpener: async () => () => new MemoryStorage(),
    now: Date.now,
    wait: async () => {},
    development: () => Promise.reject(new Error('The documentation starts no server.')),
  }
}

/** Runs a command with `--json` on an empty storage, and returns the document that it prints; empty if it fails. */
export async function runJson(args: readonly string[]): Promise<object> {
  const stdout = new PassThrough()
  const printed = text(stdout)
  await runCli([...args, '--json'], contextWith(stdout))
  stdout.end()
  return JSON.parse((await printed) || '{}')
}

/** Returns a subcommand by its names. @throws Error if there is none */
export function commandOf(names: readonly string[]): Command {
  const context = contextWith(new PassThrough())
  let command = buildProgram(new CommandRun(context), context)
  for (const name of names) {
    const found = command.commands.find((known) => known.name() === name)
    if (found === undefined) throw new Error(`There is no command ${names.join(' ')}.`)
    command = found
  }
  return command
}
