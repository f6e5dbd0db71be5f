import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { PageLinks } from '../src/config/page-links.ts'
import { hasOnlyPasskeys } from '../src/config/passkey-settings.ts'
import type { Settings } from '../src/config/settings.ts'
import { hasProviders, sendsResetLinks } from '../src/config/sign-in-ways.ts'
import { issuerPath, PATHS, pathAt } from '../src/core/paths.ts'
import { queryOf } from '../src/core/uri.ts'
import type { Sealer } from '../src/keys/sealer.ts'
import { formatKept, type KeptPage } from '../src/pages/kept.ts'
import type { View } from '../src/pages/layout.ts'
import { createTheme, type Theme } from '../src/pages/theme.ts'
import { StorageUnavailable } from '../src/storage/errors.ts'
import { languageCookie } from './language.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The theme of the pages. */
    theme: Theme
  }
  interface FastifyRequest {
    /** Returns the view for a page; `ui_locales`: those of the pending request, by default those of this request. */
    view(ui_locales?: string): View
    /** Returns the view for a page whose address nothing repeats: its form for the language carries the page. */
    keptView(kept: KeptPage, ui_locales?: string): View
  }
}

/** Decorates the instance with the theme of its pages, and requests with their view: theme and language. */
export default fp(
  async (fastify) => {
    const { settings, sealer, languages } = fastify.redmint
    const theme = createTheme(
      { ...settings, ...ownLinks(settings) },
      {
        base: issuerPath(settings.issuer),
        origin: new URL(settings.issuer).origin,
        has_account_page: settings.account_page === 'on',
        has_only_passkeys: hasOnlyPasskeys(settings),
        has_own_sign_up: settings.sign_up === 'open',
        has_own_reset: sendsResetLinks(settings),
        more_rules: await providerRules(settings),
        languages: languages.all,
      },
    )
    const cookie = languageCookie(settings)
    fastify.decorate('theme', theme)
    fastify.decorateRequest('view', function (this: FastifyRequest, ui_locales?: string): View {
      const query = queryOf(this.url)
      // The user's choice goes before what the client and the browser ask for.
      const chosen =
        languages.in(query) ?? languages.of(parameterOf(this, 'language')) ?? languages.of(cookie.read(this))
      const locales = ui_locales ?? parameterOf(this, 'ui_locales')
      const language = chosen ?? languages.choose(locales, this.headers['accept-language'])
      return { theme, language, ...(this.method === 'GET' && repeatable(query)) }
    })
    fastify.decorateRequest('keptView', function (this: FastifyRequest, page: KeptPage, ui_locales?: string) {
      const { theme, language } = this.view(ui_locales)
      return { theme, language, ...sealed(sealer, page) }
    })
  },
  { name: 'redmint-pages', dependencies: ['redmint-context'] },
)

/** The style of provider buttons; where nobody signs in by a provider, no page has it and nothing loads it. */
async function providerRules(settings: Settings): Promise<string> {
  if (!hasProviders(settings)) return ''
  const { PROVIDER_RULES } = await import('../src/providers/style.ts')
  return PROVIDER_RULES
}

/** The links to pages of our own, where the operator names no others. */
function ownLinks(settings: Settings): PageLinks {
  const { sign_up } = settings
  return {
    ...(sendsResetLinks(settings) && { forgot_password_url: pathAt(settings, PATHS.forgot_password) }),
    ...(sign_up === 'open' && { sign_up_url: pathAt(settings, PATHS.sign_up) }),
  }
}

// Other parameters may be secrets, such as an id_token_hint, and pages do not repeat those.
const REPEATED = /^(?:(?:transaction|language)=[^&]*(?:&|$))*$/

/** The query of a page that a link can open again. */
function repeatable(query: string): { query?: string } {
  return REPEATED.test(query) ? { query } : {}
}

/** The page, sealed; nothing if this replica has not read a key yet: then the page cannot be carried. */
function sealed(sealer: Pick<Sealer, 'seal'>, page: KeptPage): { kept?: string } {
  try {
    return { kept: sealer.seal('page', formatKept(page)) }
  } catch (error) {
    if (error instanceof StorageUnavailable) return {}
    throw error
  }
}

// A refused request may have parameters of any type.
function parameterOf({ query, body }: FastifyRequest, name: 'language' | 'ui_locales'): string | undefined {
  for (const parameters of [query, body]) {
    const value = ((parameters ?? {}) as Record<string, unknown>)[name]
    if (typeof value === 'string') return value
  }
  return undefined
}
