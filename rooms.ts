import type { FastifyPluginAsync } from 'fastify'
import type { KeeperOptions, OwnRoom, RoomRoutes } from './plugins/room.ts'
import { account } from './rooms/account.ts'
import { type ApplicationOptions, application, ofApplication } from './rooms/application.ts'
import { type AskOptions, asks } from './rooms/asks.ts'
import { audit } from './rooms/audit.ts'
import { operatorConsole } from './rooms/console.ts'
import { directory } from './rooms/directory.ts'
import { type ExplainOptions, explain } from './rooms/explain.ts'
import { passkeys, secondStep } from './rooms/factors.ts'
import { type BackchannelOptions, logout } from './rooms/logout.ts'
import { type MailOptions, mail } from './rooms/mail.ts'
import { ownPages } from './rooms/own-pages.ts'
import { loadParties, providers } from './rooms/providers.ts'
import { type SignalsOptions, signals } from './rooms/signals.ts'
import { statusLists } from './rooms/status-lists.ts'
import { thirdParties } from './rooms/third-parties.ts'
import { webPush } from './rooms/web-push.ts'
import type { Settings } from './src/config/settings.ts'
import { sendsResetLinks } from './src/config/sign-in-ways.ts'
import type { DirectoryTiming } from './src/directory/connection.ts'
import type { GuardedFetch } from './src/outbound/guarded-fetch.ts'
import type { PublicRequestOptions } from './src/outbound/public-request.ts'
import type { ListTiming } from './src/status-lists/worker.ts'

/** What tests replace. */
export interface ReplacedRooms {
  asks?: AskOptions
  web_push?: Partial<PublicRequestOptions>
  backchannel?: BackchannelOptions
  mail?: MailOptions
  explain?: ExplainOptions
  keepers?: KeeperOptions
  list_timing?: Partial<ListTiming>
  signals?: SignalsOptions
  /** Asks providers. */
  provider_fetch?: GuardedFetch
  /** How long a directory may take. */
  directory_timing?: DirectoryTiming
}

interface OwnOptions extends ApplicationOptions {
  /** As in RedmintOptions. */
  readonly home: boolean
  readonly warn_of_leftovers: boolean
}

/** A room that is an endpoint, or some, and nothing else. */
const endpoint = (
  name: string,
  isOn: (settings: Settings) => boolean,
  load: () => Promise<{ readonly default: FastifyPluginAsync }>,
  place: Omit<RoomRoutes, 'plugin'>,
): OwnRoom => ({
  name,
  isOn,
  load: async () => ({ routes: [{ ...place, plugin: (await load()).default }] }),
})

/**
 * The rooms of redmint, in their order: a later one adds its ways to sign in to those of earlier ones, or takes their
 * place, hears what happens after them, and closes before them.
 */
export function ownRooms(
  options: OwnOptions,
  {
    asks: asking = {},
    web_push = {},
    backchannel = {},
    mail: mailing = {},
    explain: explaining = {},
    keepers = {},
    signals: signalling = {},
    ...replaced
  }: ReplacedRooms,
): readonly OwnRoom[] {
  const partiesOf = loadParties(replaced.provider_fetch)
  const { home, warn_of_leftovers } = options
  return [
    application(options),
    ownPages,
    passkeys,
    providers(partiesOf),
    secondStep,
    directory(replaced.directory_timing),
    logout(backchannel),
    account(partiesOf),
    asks(asking),
    webPush(web_push),
    audit,
    signals(signalling),
    mail(mailing),
    explain(explaining),
    thirdParties(keepers),
    statusLists(replaced.list_timing),
    endpoint(
      'webfinger',
      ({ webfinger_hosts }) => webfinger_hosts.length > 0,
      () => import('./routes/webfinger.ts'),
      { scope: 'clients', at: 'host' },
    ),
    endpoint(
      'registration',
      ({ client_registration }) => client_registration !== 'off',
      () => import('./routes/register.ts'),
      { scope: 'clients' },
    ),
    endpoint(
      'global-revocation',
      ({ global_token_revocation }) => global_token_revocation === 'on',
      () => import('./routes/global-revocation.ts'),
      { scope: 'clients' },
    ),
    endpoint(
      'signals-received',
      ({ receive_signals }) => receive_signals === 'on',
      () => import('./routes/signals.ts'),
      { scope: 'root' },
    ),
    endpoint(
      'forward-auth',
      ({ forward_auth_clients }) => forward_auth_clients.length > 0,
      () => import('./routes/forward-auth.ts'),
      { scope: 'users', at: 'host' },
    ),
    endpoint('reset-links', sendsResetLinks, () => import('./routes/forgot-password.ts'), { scope: 'users' }),
    endpoint(
      'sign-up',
      ({ sign_up }) => sign_up === 'open',
      () => import('./routes/sign-up.ts'),
      { scope: 'users' },
    ),
    {
      name: 'demo',
      async load() {
        const { default: demo } = await import('./routes/demo/demo.ts')
        const plugin: FastifyPluginAsync = async (fastify) =>
          void fastify.register(demo, { home, warn_of_leftovers })
        return { routes: [{ scope: 'root', at: 'host', plugin }] }
      },
    },
    {
      name: 'admin',
      isOn: ({ admin_api }) => admin_api === 'on',
      async load() {
        const { default: metadata } = await import('./routes/admin-metadata.ts')
        const { default: api } = await import('./routes/admin.ts')
        return {
          routes: [
            { scope: 'root', at: 'host', plugin: metadata },
            { scope: 'operators', plugin: api },
          ],
        }
      },
    },
    operatorConsole(keepers),
    ...(options.rooms ?? []).map(ofApplication),
  ]
}
