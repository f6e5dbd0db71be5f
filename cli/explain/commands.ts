import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, atServer, collect, collectWords } from '../command.ts'
import { UsageError } from '../errors.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

interface ExplainFlags extends ServerFlags {
  readonly last?: number
  readonly client?: string
  readonly log?: string
  readonly user?: string
  readonly scope?: readonly string[]
  readonly resource?: readonly string[]
  readonly details?: string
  readonly acr?: string
  readonly exchange?: string
  readonly from?: string
  readonly trail?: true
}

const MAX_LAST = 100

/** `redmint explain` */
export function addExplainCommand(program: Command, run: CommandRun): void {
  atServer(
    addCommand(
      program,
      'explain [id]',
      'Says why a request was refused, and what to change: by its id, which the answer has in X-Request-Id, pages of errors and the log. With `--trail`: how far a client came.',
      [
        'redmint explain Xk2v9QmB4tRz7LpW',
        'redmint explain --last 20 --client web',
        'redmint explain --client web --trail',
        'redmint explain Xk2v9QmB4tRz7LpW --log redmint.log',
        'redmint explain --user alice --client web --scope openid',
        'redmint explain --user alice --client orders --exchange web --from https://orders.example.com --resource https://billing.example.com',
      ],
    ),
  )
    .option('--last <count>', 'show the last so many refusals, at most 100', readCount)
    .option(
      '--client <client_id>',
      'with `--last`: only those of this client; with `--trail`: the client; with `--user`: the client to sign in to',
    )
    .option(
      '--trail',
      'with `--client`: show what this client did last until it was connected, and which side is to act; `--last` says how many steps',
    )
    .option('--log <file>', 'explain from the lines of a log, without Redis; `-` reads standard input')
    .option(
      '--user <username>',
      'say whether this user would get into the client of `--client`; nothing is written',
    )
    .option('--scope <scope>', 'with `--user`: what the client asks for', collectWords)
    .option('--resource <uri>', 'with `--user`: the API that the tokens are for; repeatable', collect)
    .option(
      '--details <json>',
      'with `--user`: what it asks for in [detail](details.md), as the client sends it',
    )
    .option('--acr <acr>', 'with `--user`: the strength that the client demands of the sign-in')
    .option(
      '--exchange <client_id>',
      'with `--user`: say whether the client of `--client` could [exchange](acting.md) a token that this client has for the user',
    )
    .option('--from <uri>', 'with `--exchange`: the API that this token is for')
    .action(async (id: string | undefined, flags: ExplainFlags) => {
      const { last, client, log, user, trail } = flags
      if (trail) return showSteps(run, id, flags)
      if (user !== undefined) return wouldSignIn(run, id, flags, user)
      for (const name of ['scope', 'resource', 'details', 'acr', 'exchange', 'from'] as const)
        if (flags[name] !== undefined) throw new UsageError(`--${name} needs --user.`)
      if ((id === undefined) === (last === undefined))
        throw new UsageError('Give the id of a request, or --last with a number.')
      if (client !== undefined && last === undefined) throw new UsageError('--client needs --last.')
      // The other commands need none of it.
      const { languageOf, showLast, showOne } = await import('./show.ts')
      const language = languageOf(run.environment)
      const wanted = { id, last, client_id: client, language }
      if (log !== undefined) {
        const { explainFromLog } = await import('./from-log.ts')
        return run.executeAlone(flags, () => explainFromLog(run, log, wanted))
      }
      await run.operate(flags, (calls) =>
        id === undefined ? showLast(calls, wanted) : showOne(calls, id, language),
      )
    })
}

/** `redmint explain --trail` */
async function showSteps(
  run: CommandRun,
  id: string | undefined,
  { client, last, log, user, scope, resource, acr, exchange, from, ...flags }: ExplainFlags,
): Promise<void> {
  if (client === undefined) throw new UsageError('--trail needs --client.')
  if ([id, log, user, scope, resource, acr, exchange, from].some((one) => one !== undefined))
    throw new UsageError('--trail shows the steps of a client: give nothing but --client and --last.')
  const { showTrail } = await import('./trail.ts')
  const { languageOf } = await import('./show.ts')
  const wanted = { client_id: client, last, language: languageOf(run.environment) }
  await run.operate(flags, (calls) => showTrail(calls, wanted))
}

/** `redmint explain --user` */
async function wouldSignIn(
  run: CommandRun,
  id: string | undefined,
  { last, log, client, scope, resource, details, acr, exchange, from, ...flags }: ExplainFlags,
  username: string,
): Promise<void> {
  if (client === undefined) throw new UsageError('--user needs --client.')
  if (id !== undefined || last !== undefined || log !== undefined)
    throw new UsageError('--user asks what would be: give no id, --last or --log.')
  const { showWhatIf, showWhatIfExchange } = await import('./what-if.ts')
  const { languageOf } = await import('./show.ts')
  if (exchange !== undefined) {
    const [api, ...others] = resource ?? []
    if (api === undefined || others.length > 0) throw new UsageError('--exchange needs one --resource.')
    const asked = {
      ...{ username, client_id: client, of_client: exchange, resource: api },
      ...(from !== undefined && { of_resource: from }),
      ...(scope && { scope: scope.join(' ') }),
      ...(details !== undefined && { authorization_details: details }),
    }
    return run.operate(flags, (calls) => showWhatIfExchange(calls, asked, languageOf(run.environment)))
  }
  if (from !== undefined) throw new UsageError('--from needs --exchange.')
  const asked = {
    username,
    client_id: client,
    ...(scope && { scope: scope.join(' ') }),
    ...(resource && { resource: [...resource] }),
    ...(details !== undefined && { authorization_details: details }),
    ...(acr !== undefined && { acr }),
  }
  await run.operate(flags, (calls) => showWhatIf(calls, asked, languageOf(run.environment)))
}

function readCount(value: string): number {
  const count = Number(value)
  if (!/^\d{1,3}$/.test(value) || count < 1 || count > MAX_LAST)
    throw new InvalidArgumentError(`It must be 1 to ${MAX_LAST}.`)
  return count
}
