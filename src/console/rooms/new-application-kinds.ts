import type { Preset } from '../../admin/connect/preset.ts'
import { PRESET_NAMES, PRESETS, type PresetName } from '../../admin/connect/presets.ts'
import type { Html } from '../../pages/html.ts'
import { html } from '../../pages/html.ts'
import { cardLinks } from '../pages/cards.ts'
import { type ApplicationKind, kindMark } from './application-kind.ts'

interface NewKind {
  readonly label: string
  readonly detail: string
  readonly mark: ApplicationKind
  /** Whether people sign in by it, and come back to a redirect URI. */
  readonly redirects: boolean
  /** The fields of the record that follow; absent: those of its preset. */
  readonly fields?: Readonly<Record<string, unknown>>
  /** The preset that it is; absent: none. */
  readonly preset?: PresetName
}

/** What an application is, in the words of people, and the fields that follow from it. */
const KINDS: Readonly<Record<string, NewKind>> = {
  web: {
    label: 'Web application',
    detail: 'With a server that keeps a secret',
    mark: 'web',
    redirects: true,
    fields: { is_public: false },
  },
  single_page: {
    label: 'Single-page application',
    detail: 'Runs in the browser, without a server',
    mark: 'single_page',
    redirects: true,
    fields: { is_public: true },
  },
  mobile: {
    label: 'App for phones or desktops',
    detail: 'Installed on the device of the person',
    mark: 'app',
    redirects: true,
    fields: { is_public: true, application_type: 'native' },
  },
  machine: {
    label: 'Machine',
    detail: 'A job or a service without people',
    mark: 'machine',
    redirects: false,
    fields: { is_public: false, grant_types: ['client_credentials'] },
  },
  device: {
    label: 'Device without a keyboard',
    detail: 'Such as a television: people sign in on their phone',
    mark: 'device',
    redirects: false,
    preset: 'device',
  },
  mcp: {
    label: 'MCP client',
    detail: 'A program of an assistant',
    mark: 'app',
    redirects: false,
    preset: 'mcp',
  },
}

/** What an operator chose to add. */
export interface ChosenKind {
  readonly name: string
  readonly label: string
  readonly mark: Html
  readonly fields: Readonly<Record<string, unknown>> | undefined
  readonly preset: PresetName | undefined
  /** Whether its redirect URIs are typed: nothing else tells them. */
  readonly asks_redirects: boolean
  /** Whether it is asked where it runs, and its redirect URI follows. */
  readonly asks_origin: boolean
  readonly asks_scopes: boolean
  /** The path of its redirect URI below where it runs. */
  readonly redirect_path: string | undefined
}

/** Returns what a name stands for: a kind of application or a framework; undefined: nothing. */
export function chosenOf(name: string): ChosenKind | undefined {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  const preset = kind?.preset ?? PRESET_NAMES.find((one) => one === name)
  if (kind === undefined && preset === undefined) return undefined
  const of_preset: Preset | undefined =
    kind?.fields === undefined && preset !== undefined ? PRESETS[preset] : undefined
  const needs = of_preset?.needs
  return {
    name,
    label: kind?.label ?? nameOf(preset as PresetName),
    mark: kind === undefined ? initials(nameOf(preset as PresetName), 'large') : kindMark(kind.mark, 'large'),
    fields: kind?.fields,
    preset: of_preset === undefined ? undefined : preset,
    asks_redirects: kind?.fields !== undefined ? kind.redirects : needs === 'redirect-uri',
    asks_origin: needs === 'origin' || of_preset?.is_api === true,
    asks_scopes: name === 'machine' || needs === 'scope',
    redirect_path: of_preset?.redirect_path,
  }
}

/** The cards of what an application can be: each leads to its fields. @param path of the form, with the base */
export function kindCards(path: string): Html {
  const href = (name: string) => `${path}?for=${name}`
  const frameworks = PRESET_NAMES.filter((name) => !Object.hasOwn(KINDS, name)).map((name) => ({
    href: href(name),
    label: nameOf(name),
    ...(nameOf(name) !== titleOf(name) && { detail: titleOf(name) }),
    mark: initials(nameOf(name)),
  }))
  return html`${cardLinks(Object.entries(KINDS).map(([name, { label, detail, mark }]) => ({ href: href(name), label, detail, mark: kindMark(mark) })))}
<h2>Or by what it is made with</h2>
${cardLinks(frameworks, 'narrow')}`
}

/** What people call the framework, where its preset names the library that is used in it. */
const NAMES: Partial<Readonly<Record<PresetName, string>>> = {
  nextjs: 'Next.js',
  express: 'Express',
  spring: 'Spring Boot',
  'spring-api': 'API in Spring Boot',
  'acting-api': 'API that calls another one',
  django: 'Django',
  flask: 'Flask',
  fastapi: 'FastAPI',
  go: 'Go',
  apache: 'Apache',
  nginx: 'nginx',
  kubernetes: 'Kubernetes',
  react: 'React',
  ios: 'iOS',
  android: 'Android',
}
const nameOf = (name: PresetName): string => NAMES[name] ?? titleOf(name)

/** The name of a framework as a title: without its article. */
function titleOf(name: PresetName): string {
  const title: string = PRESETS[name].title.replace(/^an? /, '')
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}

const initials = (title: string, size: 'normal' | 'large' = 'normal'): Html =>
  html`<span class="app${size === 'large' ? ' large' : ''}" aria-hidden="true">${title.slice(0, 2).toUpperCase()}</span>`
