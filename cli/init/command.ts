import { relative } from 'node:path'
import { type Command, Option } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import { present } from '../../src/core/present.ts'
import { addCommand } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandRun } from '../run.ts'
import {
  contentsOf,
  hasPassword,
  type KnownValues,
  SECRETS_FILE,
  SETTINGS_FILE,
  writeFiles,
} from './files.ts'
import { FLAGS, type InitVariable } from './rows.ts'

type Flags = Readonly<Record<string, string | boolean | undefined>> & {
  readonly json?: true
  readonly folder: string
}

/** Adds `init`, which writes the settings of a production installation. */
export function addInitCommand(program: Command, run: CommandRun): void {
  const command = addCommand(
    program,
    'init',
    `Writes settings for production, with what each means, to ${SETTINGS_FILE}, and secrets that it makes to ${SECRETS_FILE}, which only their owner can read. On a terminal it asks for what no flag and no environment variable says. It never changes a file that is there.`,
    [
      'redmint init --issuer https://auth.example.com --trusted-proxies 10.0.0.2',
      'SMTP_URL=smtps://redmint:secret@smtp.example.com:465 redmint init --issuer https://auth.example.com --mail-from login@example.com',
    ],
  )
  for (const [flag, help] of Object.values(FLAGS).filter((one) => one !== undefined))
    command.addOption(new Option(flag, help))
  command
    .option('--folder <path>', 'where the files are written', '.')
    .action((flags: Flags) => run.executeAlone(flags, () => init(run, flags, program.name())))
}

/** What is asked for on a terminal, in this order; the last one only if there is mail. */
const QUESTIONS: readonly (readonly [InitVariable, string])[] = [
  ['ISSUER', 'Address of the service, such as https://auth.example.com: '],
  ['REDIS_URL', 'Redis (empty: redis://127.0.0.1:6379): '],
  ['TRUSTED_PROXIES', 'Address of the proxy before it (empty: not known yet): '],
  ['SMTP_URL', 'SMTP server, such as smtps://user:password@smtp.example.com:465 (empty: no mail yet): '],
  ['MAIL_FROM', 'Sender of mail, such as login@example.com (empty: none): '],
]

/** @throws UsageError if a flag has a password, or there is no issuer; ConfigError; Refusal if a file is there */
async function init(run: CommandRun, flags: Flags, invocation: string): Promise<Report> {
  const known = givenValues(run, flags)
  if (run.hasTerminal) {
    const left = QUESTIONS.filter(([name]) => known[name] === undefined)
    const answers = await run.ask(left.map(([, question]) => question))
    for (const [at, [name]] of left.entries())
      Object.assign(known, present({ [name]: answers[at]?.trim() || undefined }))
  }
  if (known.ISSUER === undefined)
    throw new UsageError('Give --issuer, the address at which people and applications reach the service.')
  // Another port of operators has another address in their browsers.
  const { MANAGEMENT_PORT: port } = known
  const origin = port === undefined ? {} : { CONSOLE_ORIGIN: `http://localhost:${port}` }
  const contents = contentsOf({ ...origin, ...known })
  const { warnings } = readConfig(contents.variables)
  await writeFiles(flags.folder, contents)
  return report(flags.folder, invocation, warnings, known)
}

/** Returns what flags and the environment say. A flag is what every user of the machine sees. */
function givenValues(run: CommandRun, flags: Flags): KnownValues {
  const known: KnownValues = {}
  for (const name of Object.keys(FLAGS) as InitVariable[]) {
    if (FLAGS[name] === undefined) continue
    const flag = flags[name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (typeof flag === 'string' && hasPassword(flag))
      throw new UsageError(
        `Every user of this machine sees flags: set ${name} in the environment instead, which init reads, too.`,
      )
    const value = typeof flag === 'string' ? flag : run.variable(name)
    if (value !== undefined) known[name] = value
  }
  return known
}

function report(folder: string, invocation: string, warnings: readonly string[], known: KnownValues): Report {
  const at = (name: string) => `${folder === '.' ? '.' : relative('.', folder) || '.'}/${name}`
  const files = [at(SETTINGS_FILE), at(SECRETS_FILE)]
  const next = [
    `set -a; . ${files[0]}; . ${files[1]}; set +a`,
    `${invocation} doctor`,
    `${invocation} serve`,
    `${invocation} admin create ada --email ada@example.com`,
  ]
  const missing = [
    ...(known.TRUSTED_PROXIES === undefined ? ['TRUSTED_PROXIES, once there is a proxy'] : []),
    ...(known.SMTP_URL === undefined ? ['SMTP_URL and MAIL_FROM, for mail'] : []),
  ]
  const lines = [
    'Written:',
    `  ${files[0]}: the settings, the same for each replica.`,
    `  ${files[1]}: the secrets. Keep a copy elsewhere: without KEY_ENCRYPTION_KEY nobody reads the signing keys.`,
    ...(missing.length === 0 ? [] : ['', `Not set yet: ${missing.join('; ')}.`]),
    ...warnings.map((warning) => `\nWarning: ${warning}`),
    '',
    'Next:',
    ...next.map((command, at) => `  ${at + 1}. ${command}`),
    '',
    'docs/production.md has every step, with what each prints.',
  ]
  return { text: lines.join('\n'), json: { files, next, ...(missing.length > 0 && { missing }) } }
}
