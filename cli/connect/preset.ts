import type { ClientDefinition } from '../../src/clients/client-record.ts'

/** A file to paste into an application. */
export interface SettingsFile {
  /** The file that it belongs in, or what it is. */
  readonly file: string
  /** Its language, as in a fenced block of Markdown. */
  readonly language: string
  readonly text: string
  /** When to use it, if not always. */
  readonly use?: string
  /** The command that uses it. */
  readonly run?: string
}

/** The values of a client that its settings contain. */
export interface SettingsValues {
  readonly issuer: string
  readonly client_id: string
  /** PLACEHOLDER if the secret is not known; an empty text for a public client. */
  readonly client_secret: string
  /** The first one; an empty text if the client has none. */
  readonly redirect_uri: string
  /** The origin of the redirect URI. */
  readonly origin: string
  readonly scope: string
}

/** The flag that a preset needs, because nothing else tells its value. */
export type NeededFlag = 'origin' | 'redirect-uri' | 'scope'

/** What `client add --for` knows of a framework. */
export interface Preset {
  /** The framework or library, as in "Settings for …". */
  readonly title: string
  readonly needs?: NeededFlag
  /** The path of its redirect URI below `--origin`. */
  readonly redirect_path?: string
  /** The paths below `--origin` that it returns to after a logout. */
  readonly logout_paths?: readonly string[]
  /** The fields of its record that differ from those of any other client. */
  readonly fields: Readonly<Partial<ClientDefinition>> & Pick<ClientDefinition, 'is_public'>
  settings(values: SettingsValues): readonly SettingsFile[]
}

/** Stands for a secret that was read from stdin, which is not printed. */
export const PLACEHOLDER = '<client_secret>'

/** The scopes of a sign-in. */
export const SIGN_IN = ['openid', 'profile', 'email']
/** The same for a framework that refreshes by itself. */
export const STAY_SIGNED_IN = [...SIGN_IN, 'offline_access']

/** For a framework that looks for the name and the e-mail address in the id_token and nowhere else. */
export const READS_ID_TOKEN = { scope_claims_in_id_token: true } as const
