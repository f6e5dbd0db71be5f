import type { Settings } from '../config/settings.ts'
import { ConcurrencyLimit } from '../users/concurrency-limit.ts'
import type { Asker } from '../users/fair-queue.ts'
import { WAITING } from '../users/passwords.ts'
import { type BindResult, Connection, DIRECTORY_TIMING, type DirectoryTiming } from './connection.ts'
import { idOf, idValue, type ReadEntry, readEntry, textsOf } from './entry.ts'
import { DirectoryFailure, type DirectoryProblem } from './failure.ts'
import { filterOf, filterOfId } from './filters.ts'
import { type DirectoryGroup, groupOfDn } from './groups.ts'
import { isLocked, LOCK_ATTRIBUTES } from './locks.ts'
import { Pool } from './pool.ts'
import type { TrustedServer } from './secure-socket.ts'

/** How many people are asked for at the same time. */
const CONCURRENCY = 8
/**
 * How long a directory that did not answer is left alone, in milliseconds: what waits must not wait for it, one after
 * the other.
 */
const PAUSE = 2000
/** How many groups a person can have: who has more is not let in with some of them. */
const MAX_GROUPS = 500
/** What may be about one person: it refused something, or said it at length or in part. */
const ABOUT_ONE: readonly DirectoryProblem[] = ['refused', 'malformed', 'partial']

export type DirectorySettings = Pick<
  Settings,
  | 'ldap_base_dn'
  | 'ldap_bind_dn'
  | 'ldap_bind_password'
  | 'ldap_user_filter'
  | 'ldap_username_attribute'
  | 'ldap_id_attribute'
  | 'ldap_claims'
  | 'ldap_group_attribute'
  | 'ldap_group_filter'
>

export interface DirectoryOptions {
  readonly settings: DirectorySettings
  readonly server: TrustedServer
  /** The attributes that claims are read from. */
  readonly attributes: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly timing?: DirectoryTiming
}

/** What was found for a name: one entry, none, or several, of which none counts. */
export type DirectoryResult = ReadEntry | 'nobody' | 'several'

/** A directory of people. It has places of its own: who waits for it takes none of those who hash passwords. */
export class Directory {
  readonly #options: DirectoryOptions
  readonly #limit = new ConcurrencyLimit(CONCURRENCY, WAITING)
  /** Connections that look for people. */
  readonly #finders: Pool
  /** Connections by which people show who they are: what they find is never looked at. */
  readonly #doors: Pool
  #away: { readonly until: number; readonly failure: DirectoryFailure } | undefined

  constructor(options: DirectoryOptions) {
    const { server, timing = DIRECTORY_TIMING } = options
    const open = () => Connection.open(server, timing)
    this.#options = options
    this.#finders = new Pool(async () => this.#identified(await open()))
    this.#doors = new Pool(open)
  }

  /**
   * Works with the directory, when it is the turn of `asker`.
   * @throws OAuthError `temporarily_unavailable` (503) if too many wait; DirectoryFailure; an error of `work`
   */
  async inTurn<T>(work: () => Promise<T>, asker?: Asker): Promise<T> {
    return this.#limit.run(async () => {
      if (this.#away !== undefined && this.#options.now() < this.#away.until) throw this.#away.failure
      try {
        return await work()
      } catch (failure) {
        const is_away = failure instanceof DirectoryFailure && !ABOUT_ONE.includes(failure.problem)
        if (is_away) this.#away = { until: this.#options.now() + PAUSE, failure }
        throw failure
      }
    }, asker)
  }

  /** Finds the entry of a name that somebody typed. @throws DirectoryFailure */
  async find(username: string): Promise<DirectoryResult> {
    const { ldap_user_filter } = this.#options.settings
    const entries = await this.#people(filterOf(ldap_user_filter, { username }))
    const [entry, ...others] = entries
    if (entry === undefined) return 'nobody'
    return others.length > 0 ? 'several' : entry
  }

  /** Finds the entry with an id, if the filter of people still lets it in. @throws DirectoryFailure */
  async findById(id: string): Promise<ReadEntry | undefined> {
    const { ldap_user_filter, ldap_id_attribute } = this.#options.settings
    const value = idValue(id, ldap_id_attribute)
    const [entry] = await this.#people(filterOfId(ldap_user_filter, ldap_id_attribute, value))
    return entry !== undefined && idOf(entry, ldap_id_attribute)?.text === id ? entry : undefined
  }

  /**
   * Returns whether the directory lets somebody in. Never with an empty password, or one that ends at a NUL for the
   * directory.
   * @throws DirectoryFailure
   */
  async showPassword(dn: string, password: string): Promise<BindResult> {
    if (password === '' || password.includes('\0')) return 'refused'
    return this.#doors.use((connection) => connection.bind(dn, password))
  }

  /** Whether nobody may sign in by an entry, whatever is shown. */
  isLocked(entry: ReadEntry): boolean {
    return isLocked(entry, this.#options.now())
  }

  /**
   * Returns all groups of a person; undefined: the settings name none.
   * @throws DirectoryFailure; `partial` if there are more than are read
   */
  async groupsOf(entry: ReadEntry): Promise<readonly DirectoryGroup[] | undefined> {
    const { ldap_group_attribute, ldap_group_filter, ldap_username_attribute } = this.#options.settings
    if (ldap_group_attribute === undefined && ldap_group_filter === undefined) return undefined
    const named =
      ldap_group_attribute === undefined ? [] : textsOf(entry, ldap_group_attribute).map(groupOfDn)
    const [username = ''] = textsOf(entry, ldap_username_attribute)
    const found =
      ldap_group_filter === undefined
        ? []
        : await this.#search(filterOf(ldap_group_filter, { dn: entry.dn, username }), ['cn'])
    if (Math.max(named.length, found.length) > MAX_GROUPS) throw new DirectoryFailure('partial', 'groups')
    return [
      ...named,
      ...found.map((group) => ({ dn: group.dn, name: textsOf(group, 'cn')[0] ?? groupOfDn(group.dn).name })),
    ]
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.#finders.close()
    this.#doors.close()
  }

  /** Returns the DN of nobody, below the entry in which people are. */
  nobody(name: string): string {
    return `cn=${name},${this.#base}`
  }

  get #base(): string {
    return this.#options.settings.ldap_base_dn ?? ''
  }

  #people(filter: ReturnType<typeof filterOf>): Promise<ReadEntry[]> {
    const { settings, attributes } = this.#options
    const { ldap_username_attribute, ldap_id_attribute, ldap_group_attribute } = settings
    const wanted = [
      ldap_username_attribute,
      ldap_id_attribute,
      ...LOCK_ATTRIBUTES,
      ...(ldap_group_attribute === undefined ? [] : [ldap_group_attribute]),
      ...attributes,
    ]
    // A second one tells that the name is not of one person.
    return this.#search(filter, [...new Set(wanted)], 2)
  }

  async #search(
    filter: ReturnType<typeof filterOf>,
    attributes: readonly string[],
    max?: number,
  ): Promise<ReadEntry[]> {
    const search = { base: this.#base, filter, attributes, ...(max !== undefined && { max }) }
    const entries = await this.#finders.use((connection) => connection.search(search))
    return entries.map(readEntry)
  }

  /** A connection that looks for people as redmint. */
  async #identified(connection: Connection): Promise<Connection> {
    const { ldap_bind_dn, ldap_bind_password = '' } = this.#options.settings
    if (ldap_bind_dn === undefined) return connection
    try {
      if ((await connection.bind(ldap_bind_dn, ldap_bind_password)) === 'let_in') return connection
      throw new DirectoryFailure('credentials')
    } catch (error) {
      connection.close()
      throw error
    }
  }
}
