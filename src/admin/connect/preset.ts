import type { ClientDefinition } from '../../clients/record/client-record.ts'

/** A file to paste into an application. */
export interface SettingsFile {
  /** The file that it belongs in, or what it is. */
  readonly file: string
  /** Its language, as in a fenced block of Markdown. */
  readonly language: string
  readonly text: string
  /** When to use it, if not always. */
  readonly use?: string
  /** The command that uses it; in a preset it may name values as a template does. */
  readonly run?: string
}

/** A file to paste whose text is made from a file of templates/. */
export type TemplateFile = Omit<SettingsFile, 'text'> & { readonly template: string }

/** What `client add --for` knows of a framework. */
export interface Preset {
  /** The framework or library, as in "Settings for …". */
  readonly title: string
  /** What is typed in a shell, in an empty folder, before anything is pasted: the starter, and what it needs more. */
  readonly begin?: readonly string[]
  /** The flag that it needs, because nothing else tells its value. */
  readonly needs?: 'origin' | 'redirect-uri' | 'scope'
  /** The path of its redirect URI below `--origin`. */
  readonly redirect_path?: string
  /** The paths below `--origin` that it returns to after a logout. */
  readonly logout_paths?: readonly string[]
  /** Whether it returns to its redirect URI after a logout, too, as an app does. */
  readonly logs_out_to_redirect_uri?: true
  /** The path below `--origin` that takes logout tokens. */
  readonly backchannel_path?: string
  /** Whether `--origin` is the URI of an API, which tokens are for. */
  readonly is_api?: true
  /** Whether it acts with the tokens for this API: the record of the API names it (RFC 8693). */
  readonly acts?: true
  /** The fields of its record that differ from those of any other client. */
  readonly fields: Readonly<Partial<ClientDefinition>> & Pick<ClientDefinition, 'is_public'>
  readonly files: readonly TemplateFile[]
}
