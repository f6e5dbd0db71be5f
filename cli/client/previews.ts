import { type Command, InvalidArgumentError } from 'commander'
import { PREVIEW_LIVES } from '../../src/admin/previews/lives.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import type { Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { withHints } from '../errors.ts'
import { listed, pairs, type Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'
import { when } from '../when.ts'
import { hintsFor } from './show.ts'

/** Which preview of which client a command is about. */
interface Wanted {
  readonly of: string
  readonly redirect: string
}

const OF = ['--of <client_id>', 'the client that it is a preview of'] as const

/** `redmint client for-preview`, `previews` and `end-preview`. */
export function addPreviewCommands(client: Command, run: CommandRun): void {
  atServer(
    addCommand(
      client,
      'for-preview',
      'Makes a client of its own for a preview of a client: public, with the redirect URI of the preview, and it lapses. Again with the same redirect URI: it keeps its client_id and lives on.',
      [
        'redmint client for-preview --of shop --redirect https://pr-12.preview.example.com/callback --lives 3d',
      ],
    ),
  )
    .requiredOption(...OF)
    .requiredOption(
      '--redirect <uri>',
      'its redirect URI: https, one label below a host of `preview_hosts`, with the path of one of the client',
    )
    .option(
      '--lives <time>',
      'how long it lives: 30m, 24h, 3d …, at most 14d',
      readLives,
      PREVIEW_LIVES.default,
    )
    .action((flags: Wanted & ServerFlags & { readonly lives: number }) =>
      run.operate(flags, (calls) => makePreview(calls, flags)),
    )

  atServer(
    addCommand(client, 'previews <client_id>', 'Lists the previews of a client that are alive.', [
      'redmint client previews shop',
    ]),
  ).action((client_id: string, flags: ServerFlags) =>
    run.operate(flags, (calls) => listPreviews(calls, client_id)),
  )

  atServer(
    addCommand(
      client,
      'end-preview',
      'Ends a preview of a client with all its tokens, before it lapses: when its branch is merged.',
      ['redmint client end-preview --of shop --redirect https://pr-12.preview.example.com/callback'],
    ),
  )
    .requiredOption(...OF)
    .requiredOption('--redirect <uri>', 'its redirect URI')
    .action((flags: Wanted & ServerFlags) => run.operate(flags, (calls) => endPreview(calls, flags)))
}

/** The command `client for-preview`. */
async function makePreview(
  { call, now }: Calls,
  { of, redirect: redirect_uri, lives }: Wanted & { readonly lives: number },
): Promise<Report> {
  const made = await call('make_preview', { params: { client_id: of }, body: { redirect_uri, lives } })
  const { client_id, issuer, scope, lapses_at, renewed } = made
  const lines = [
    pairs([
      ['client_id', client_id],
      ['issuer', issuer],
      ['redirect_uri', redirect_uri],
      ['scope', scope],
      ['lapses', when(lapses_at, now)],
    ]),
    '',
    renewed
      ? 'It was there before, and lives on.'
      : 'It has no secret: use PKCE. Its users are asked for consent each time.',
    `To end it before: redmint client end-preview --of ${shellWord(of)} --redirect ${shellWord(redirect_uri)}`,
  ]
  return { text: lines.join('\n'), json: made }
}

/** The command `client previews`. */
async function listPreviews({ call, now }: Calls, client_id: string): Promise<Report> {
  const listing = call('list_previews', { params: { client_id } })
  const { items } = await withHints(hintsFor(client_id), listing)
  const rows = items.map((item) => [item.client_id, item.redirect_uri, item.state, when(item.lapses_at, now)])
  const head = ['CLIENT_ID', 'REDIRECT URI', 'STATE', 'LAPSES']
  const none = 'It has no previews: see redmint client for-preview --help.'
  return { text: listed(head, rows, { none, of: undefined, noun: 'preview' }), json: { previews: items } }
}

/** The command `client end-preview`; on the host it waits until all is ended. */
async function endPreview({ call }: Calls, { of, redirect: redirect_uri }: Wanted): Promise<Report> {
  const ended = await call('end_preview', { params: { client_id: of }, query: { redirect_uri } })
  return {
    text: 'The preview is ended: its tokens are refused, and its client_id is not given again.',
    json: ended,
  }
}

const UNITS = { m: 60, h: 3600, d: 86_400 } as const

/** Parses how long a preview lives, such as 3d; returns seconds. @throws InvalidArgumentError */
function readLives(value: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(value) ?? []
  const seconds = Number(digits) * (UNITS[unit as keyof typeof UNITS] ?? Number.NaN)
  const { minimum, maximum } = PREVIEW_LIVES
  if (minimum <= seconds && seconds <= maximum) return seconds
  throw new InvalidArgumentError('Give minutes, hours or days, from 5m to 14d: 30m, 24h, 3d.')
}
