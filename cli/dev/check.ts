import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { isUrl } from '../../src/core/uri.ts'
import { addCommand, collectWords } from '../command.ts'
import { EXIT, UsageError } from '../errors.ts'
import type { Report } from '../output.ts'
import type { CommandRun } from '../run.ts'
import type { CheckApiFlags, CheckClientFlags, Checked } from './development.ts'
import { readPort } from './port.ts'

/** Seconds. */
const WAIT = 60

/** `redmint dev check-client`, `redmint dev check-api` */
export function addCheckCommands(dev: Command, run: CommandRun): void {
  withServer(
    addCommand(
      dev,
      'check-client <url>',
      'Signs in at a client, and drives it through answers that it must refuse or survive. The URL is a page that needs a sign-in.',
      [
        'redmint dev check-client http://localhost:8080/account',
        'redmint dev check-client http://localhost:8080/account --client shop --redirect-uri http://localhost:8080/callback',
      ],
    ),
  )
    .option(
      '--client <id>',
      'with `--redirect-uri`: register this client, with the scopes openid, profile, email and offline_access (default: `web`)',
    )
    .option(
      '--client-secret <secret>',
      'with `--redirect-uri`: its secret (default: none, it is a public client)',
    )
    .option('--redirect-uri <uri>', 'register a client with this redirect URI, in place of a seed')
    .option(
      '--signed-in <url>',
      'the page that only people who are signed in may see (default: the URL)',
      readUrl,
    )
    .option(
      '--signed-in-text <text>',
      'a text that this page shows to them alone (default: its status and address tell)',
    )
    .action(async (url: string, flags: ClientFlags) => {
      if (flags.redirectUri === undefined && (flags.client ?? flags.clientSecret) !== undefined)
        throw new UsageError('--client and --client-secret say what is registered for --redirect-uri.')
      if (flags.redirectUri !== undefined && flags.seed !== undefined)
        throw new UsageError(
          'A client is in the file of --seed, or made by --redirect-uri: give one of them.',
        )
      const { signedIn, signedInText, clientSecret, redirectUri, junit, sarif, json, ...others } = flags
      const options: CheckClientFlags = {
        ...{ ...others, url: readUrl(url) },
        ...(signedIn !== undefined && { signed_in: signedIn }),
        ...(signedInText !== undefined && { signed_in_text: signedInText }),
        ...(clientSecret !== undefined && { client_secret: clientSecret }),
        ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
      }
      const { checkClientBy } = await run.development()
      await run.executeAlone(flags, () => reported(checkClientBy(options), { junit, sarif }))
    })

  withServer(
    addCommand(
      dev,
      'check-api <url>',
      'Calls an API with tokens that it must refuse, and with tokens that it must take. The URL is a route that needs a token.',
      [
        'redmint dev check-api http://localhost:8081/orders --resource https://api.example.com --scope orders.read',
      ],
    ),
  )
    .option('--resource <uri>', 'what tokens are for: their `aud` (default: the issuer)')
    .option('--scope <names>', 'the scope that the route needs (default: none, and scopes are not checked)')
    .option(
      '--method <method>',
      'the method of the requests; what has a body is sent `{}`',
      readMethod,
      'GET',
    )
    .option('--client <id>', 'the client that the tokens name (default: `demo-service`)')
    .action(async (url: string, flags: ApiFlags) => {
      const { junit, sarif, json, ...others } = flags
      const { checkApiBy } = await run.development()
      await run.executeAlone(flags, () =>
        reported(checkApiBy({ ...others, url: readUrl(url) }), { junit, sarif }),
      )
    })
}

interface Files {
  readonly junit: string | undefined
  readonly sarif: string | undefined
}
type Common = { readonly json?: true; readonly junit?: string; readonly sarif?: string }
type ClientFlags = Omit<
  CheckClientFlags,
  'url' | 'signed_in' | 'signed_in_text' | 'client_secret' | 'redirect_uri'
> &
  Common & {
    readonly signedIn?: string
    readonly signedInText?: string
    readonly clientSecret?: string
    readonly redirectUri?: string
  }
type ApiFlags = Omit<CheckApiFlags, 'url'> & Common

/** Adds what the checks have in common. */
function withServer(command: Command): Command {
  return command
    .option('--port <port>', 'the port of the issuer that is started', readPort, 3000)
    .option('--host <host>', 'the host of the issuer: `localhost`, or a name that only a private network has')
    .option('--expose', 'let other machines reach the issuer, as in a network of containers')
    .option('--seed <file>', 'clients, users and resources, as of `redmint dev`')
    .option('--user <username>', 'the person who signs in, or whom tokens are about (default: `alice`)')
    .option('--only <ids>', 'run these checks alone', collectWords)
    .option('--skip <ids>', 'leave these checks out', collectWords)
    .option('--wait <seconds>', 'how long to wait until something listens at the URL', readSeconds, WAIT)
    .option('--junit <file>', 'write the results as JUnit XML, too')
    .option('--sarif <file>', 'write the results as SARIF 2.1.0, too')
}

/** Writes the files, and returns what is printed. @throws UsageError if a check is not known, or a file cannot be written */
async function reported(checking: Promise<Checked>, files: Files): Promise<Report> {
  const { text, json, has_failed, ...forms } = await checking.catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  })
  for (const form of ['junit', 'sarif'] as const) {
    const file = files[form]
    if (file !== undefined) await write(file, forms[form])
  }
  return { text, json, ...(has_failed && { exit: EXIT.refused }) }
}

async function write(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content)
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}.`)
  }
}

function readUrl(value: string): string {
  if (isUrl(value) && /^https?:\/\/[^#]+$/i.test(value)) return value
  throw new UsageError(`${value} is no address: give one such as http://localhost:8080/account.`)
}

function readMethod(value: string): string {
  if (/^[A-Za-z]+$/.test(value)) return value.toUpperCase()
  throw new InvalidArgumentError('A method is a word such as POST.')
}

function readSeconds(value: string): number {
  if (/^\d{1,4}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('A number of seconds is 0 to 9999.')
}
