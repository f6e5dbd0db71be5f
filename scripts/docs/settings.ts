import type { SettingsFile } from '../../src/admin/connect/preset.ts'
import { runJson } from './command.ts'
import type { Page } from './page.ts'

/** Occurs in no settings. */
const NO_SECRET = '-'.repeat(43)

/** What is random, and no secret of the client. */
const SESSION_SECRET = /"[\w-]{43}"/g

/** What `client add --for` prints with `--json`. */
interface Added {
  readonly settings?: readonly SettingsFile[]
  readonly client_secret?: string
}

/** The settings that the command of a page in docs/connect/ prints, each file in a block. */
export async function makeSettings({ path, text }: Page): Promise<string> {
  const [, command = ''] = /^```sh\nredmint (.*)\n```$/m.exec(text) ?? []
  const { settings = [], client_secret = NO_SECRET }: Added = await runJson(wordsOf(command))
  if (settings.length === 0) throw new Error(`${path}: its first command prints no settings: ${command}`)
  return settings
    .map((file) =>
      block(file)
        .replaceAll(client_secret, '<client_secret>')
        .replaceAll(SESSION_SECRET, '"<session_secret>"'),
    )
    .join('\n\n')
}

/** Splits a command as a shell does, for words and double quotes. */
const wordsOf = (command: string) =>
  (command.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))

function block({ file, language, text, use, run }: SettingsFile): string {
  const notes = [use && `Use it ${use}.`, run && `Run it by \`${run}\`.`].filter(Boolean)
  return [`### ${file}`, `\`\`\`${language}\n${text}\`\`\``, ...notes].join('\n\n')
}
