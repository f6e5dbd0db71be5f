import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { SettingsFile } from '../../cli/connect/preset.ts'
import { runCli } from '../../cli/program.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import type { Page } from './page.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', ISSUER: 'https://auth.example.com' }
/** Occurs in no settings. */
const NO_SECRET = '-'.repeat(43)

/** The settings that the command of a page in docs/connect/ prints, each file in a block. */
export async function makeSettings({ path, text }: Page): Promise<string> {
  const [, command = ''] = /^```sh\nredmint (.*)\n```$/m.exec(text) ?? []
  const { settings = [], client_secret = NO_SECRET } = await run(command.split(' '))
  if (settings.length === 0) throw new Error(`${path}: its first command prints no settings: ${command}`)
  return settings.map((file) => block(file).replaceAll(client_secret, '<client_secret>')).join('\n\n')
}

function block({ file, language, text, use, run }: SettingsFile): string {
  const notes = [use && `Use it ${use}.`, run && `Run it by \`${run}\`.`].filter(Boolean)
  return [`### ${file}`, `\`\`\`${language}\n${text}\`\`\``, ...notes].join('\n\n')
}

async function run(args: readonly string[]): Promise<{ settings?: SettingsFile[]; client_secret?: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = text(stdout)
  await runCli([...args, '--json'], {
    invocation: 'redmint',
    environment: ENVIRONMENT,
    stdin: Readable.from([]),
    stdout,
    stderr,
    openStorage: () => new MemoryStorage(),
    now: Date.now,
  })
  stdout.end()
  return JSON.parse((await printed) || '{}')
}
