#!/usr/bin/env node
import { invocationOf } from './cli/invocation.ts'
import { runCli } from './cli/program.ts'
import { openStorage } from './src/service/open-storage.ts'

const { stdin, stdout, stderr, env } = process

// A reader that closes the pipe early (`| head`) is not an error: the command still finishes its work.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await runCli(process.argv.slice(2), {
  invocation: invocationOf(process.argv[1] ?? 'redmint', process.cwd(), env),
  environment: env,
  stdin,
  stdout,
  stderr,
  openStorage,
  now: Date.now,
})
