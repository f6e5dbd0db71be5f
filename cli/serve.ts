import type { Command } from 'commander'
import { exampleLine } from './command.ts'

/** Adds `serve`, which starts the server as `node dist/server.js` does. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Starts the server, like node dist/server.js. SIGTERM stops it.')
    .summary('Starts the server')
    .addHelpText('after', `\nExample:\n${exampleLine(program.name(), 'PORT=3000 redmint serve')}`)
    .action(async () => {
      // Importing server.ts starts it; the other commands do not load Fastify.
      await import('../server.ts')
    })
}
