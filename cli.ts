#!/usr/bin/env node
import { run } from './cli/program.ts'
import { openStorage } from './src/service/open-storage.ts'

const { stdin, stdout, stderr, env } = process

// A reader that has seen enough (`| head`) is no failure: what was to be done is still done.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await run(process.argv.slice(2), {
  environment: env,
  stdin,
  stdout,
  stderr,
  openStorage,
  now: Date.now,
})
