/** The answer to a request of the admin API. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON; empty: there is none. */
  readonly body: string
}
